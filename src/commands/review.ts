import type { Session } from '../cli/session.ts';
import { SeveralRecords } from '../fs/document.ts';
import type { ServiceRecord } from '../model/records.ts';
import { lastingVoice } from '../out/cells.ts';
import { fieldsOf } from '../out/fields.ts';
import type { Shape } from '../out/output.ts';
import { clip, neutraliseLine } from '../out/text.ts';
import type { Operation } from '../service/operations.ts';
import { type ServiceChoice, serviceLine } from './write.ts';

/** One line of what a person looks at before it is sent. */
export interface ReviewLine {
  readonly label: string;
  readonly text: string;
}

/** Code units of a value that is reviewed; nobody reads more. */
const LONGEST_TEXT = 1_000;

/**
 * Shows the person what will be sent, and where to. For what was put together by asking; in a dry run the request itself
 * is shown.
 */
export async function review(
  lines: readonly ReviewLine[],
  area: Operation['area'],
  { out, globals, context, destination }: Pick<Session, 'out' | 'globals' | 'context' | 'destination'>,
): Promise<void> {
  if (globals.dryRun === true) return;
  const { drawCard } = await import('../out/cards.ts');
  // What is left of a cut secret is found by nobody, so that it is masked before.
  const shown = (text: string) => clip(neutraliseLine(context.redactor.text(text)), LONGEST_TEXT);
  const card = drawCard(
    lines.map(({ label }) => shown(label)),
    lines.map(({ text }) => shown(text)),
    { title: (text) => text },
  );
  const head = `This is what will be sent to ${destination(area)}:`;
  for (const line of [head, ...card.trimEnd().split('\n')]) await out.note(line);
}

/** A new record as it is reviewed, every field of it. */
export function reviewOf(record: ServiceRecord, { columns }: Shape): readonly ReviewLine[] {
  return fieldsOf(record, columns, lastingVoice);
}

/** A change as it is reviewed. */
export function changeOf(label: string, before: string | undefined, after: string): ReviewLine {
  return { label, text: `${before ?? '(not shown)'} -> ${after}` };
}

/**
 * Adds to the refusal of a file with several records the command that takes them.
 *
 * @returns for `catch`; every error goes on.
 */
export function importing(
  resource: 'invitations' | 'properties',
  file: string | undefined,
  globals: ServiceChoice,
) {
  return (error: unknown): never => {
    if (!(error instanceof SeveralRecords) || file === undefined) throw error;
    throw error.withHint(serviceLine(globals, resource, 'import', file));
  };
}
