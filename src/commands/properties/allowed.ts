import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { clip, neutraliseLine } from '../../print/text.ts';
import { reasonsAgainst } from '../../service/property-names.ts';
import { type NamedProperty, nameIn } from './reference.ts';

/** An action of a record, as the service names it and as messages do. */
interface AskedAction {
  /** Among the actions that a record shows: `SetLive`. */
  readonly action: string;
  /** `The service does not allow setting property BER live now`: the words before and after the record. */
  readonly doing: readonly [before: string, after: string];
  /** Default: properties. */
  readonly noun?: readonly [one: string, several: string];
  /** What is allowed instead. */
  readonly hint?: string | undefined;
}

/** Maximum length of a name and of a reason, code units. */
const LONGEST_NAME = 60;
const LONGEST_REASON = 1_000;

const properties = ['property', 'properties'] as const;

/**
 * Refuses an action that records do not allow.
 *
 * @throws {CliError} `not_allowed`, exit 6: about one with the service's reasons, about several with the words of those.
 */
export function refuseNotAllowed(
  found: readonly Pick<NamedProperty, 'word' | 'record' | 'requestId'>[],
  { action, doing: [before, after], noun: [one, several] = properties, hint }: AskedAction,
  { context }: Pick<Session, 'context'>,
): void {
  const mask = context.redactor.text;
  const refused = found.flatMap(({ word, record = {}, requestId }) => {
    const reasons = reasonsAgainst(action, record)?.map(({ field, reason }) => ({
      field: cut(field, LONGEST_NAME, mask),
      reason: cut(reason, LONGEST_REASON, mask),
    }));
    return reasons === undefined ? [] : [{ word, reasons, requestId }];
  });
  const [first] = refused;
  if (first === undefined) return;
  const isOne = found.length === 1;
  const what = isOne ? `${one} ${first.word}` : `${refused.length} of these ${several}`;
  const why = isOne && first.reasons.length === 0 ? ', without saying why' : '';
  const sentence = `The service does not allow ${before} ${what}${after} now${why}; nothing was sent.`;
  const all = refused.map(({ word: field, reasons }) => {
    const reason = reasons.map((each) => each.reason).join(' ') || 'without saying why';
    return { field, reason };
  });
  const about = isOne ? { details: first.reasons, requestId: first.requestId } : { details: all };
  throw new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, hint, ...about });
}

/** `BER (Grand Hotel)` */
export function titleOf(
  id: string,
  record: ServiceRecord | undefined,
  { context }: Pick<Session, 'context'>,
): string {
  const name = nameIn(record ?? {});
  if (name === '' || name === id) return id;
  return `${id} (${cut(name, LONGEST_NAME, context.redactor.text)})`;
}

/** Masks before cutting: a cut secret would not be recognised. */
function cut(text: string, length: number, mask: (text: string) => string): string {
  return clip(neutraliseLine(mask(text)), length);
}
