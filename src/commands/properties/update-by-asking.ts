import type { PatchStep } from '../../api/patch.ts';
import { invalidInput } from '../../errors.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { withFlags } from '../one-line.ts';
import { review } from '../review.ts';
import { askForChanges } from './ask-changes.ts';
import { idDetails, suggestingProperty } from './by-id.ts';
import { inObjects } from './changes.ts';

/** What is to change. */
export interface Wanted {
  readonly steps: readonly PatchStep[];
  /** The words of a command line that says so. */
  readonly argv: readonly string[];
  readonly isAsked: boolean;
  /** The property as it is, where it was read. */
  readonly shown?: ServiceRecord | undefined;
  /** Returns when the person wants it sent. @throws {CliError} exit 11 otherwise. */
  consent(): Promise<void>;
}

/** What the person wants changed; no steps where everything stays what it is. */
export async function askedChanges(id: string, session: Session): Promise<Wanted> {
  const { api, context } = session;
  const wrong = await idDetails(id, api);
  if (wrong.length > 0) throw invalidInput(wrong);
  const property = await api.properties.read(id, ['all']).catch(suggestingProperty(api, id));
  const changes = await askForChanges(property, session);
  const flags = changes.flatMap((change) => change.flags);
  const lines = changes.map(({ line }) => line);
  return {
    steps: inObjects(
      changes.map(({ step }) => step),
      property,
    ),
    argv: withFlags(context.argv, flags),
    isAsked: true,
    shown: property,
    async consent() {
      await review(lines, 'inventory', session);
      await session.confirm('Send it?');
    },
  };
}
