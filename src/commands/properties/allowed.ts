import { CliError, type Detail } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { absoluteWording, cellText } from '../../print/cells.ts';
import { clip, neutraliseLine } from '../../print/text.ts';
import { reasonsAgainst } from '../../service/property-names.ts';
import { nameIn } from './reference.ts';

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

/** A property before an action. */
interface Looked {
  /** Its name in a question: `BER`, or `BER (Grand Hotel)`. */
  readonly named: string;
  /** `undefined` if it was not read. */
  readonly property?: ServiceRecord;
  readonly requestId?: string | undefined;
}

/** Maximum length of a name and of a reason, code units. */
export const LONGEST_NAME = 60;
const LONGEST_REASON = 1_000;

const properties = ['property', 'properties'] as const;

/**
 * Reads a property before an action, if the service shows which actions are allowed. If it cannot be read, the action is
 * tried.
 *
 * @param isAsking whether the id will be prompted for, so that a missing property is reported first.
 * @throws {CliError} exit 3 if there is none.
 */
export async function lookBefore(id: string, isAsking: boolean, { api, context }: Session): Promise<Looked> {
  const isShown = showsActions({ api });
  if (!isShown && !isAsking) return { named: id };
  const read = async () =>
    isShown
      ? api.properties.readWithActions(id)
      : { property: await api.properties.read(id), requestId: undefined };
  const found = await read().catch(unlessMissing);
  if (found === undefined) return { named: id };
  const { name } = found.property;
  const isNamed = typeof name === 'string' || isRecord(name);
  const shown = isNamed
    ? cut(cellText(name, 'language', absoluteWording), LONGEST_NAME, context.redactor.text)
    : undefined;
  return { ...found, named: shown === undefined ? id : `${id} (${shown})` };
}

/** Refuses an action that a record does not allow. @throws {CliError} `not_allowed`, exit 6, with the service's reasons. */
export function refuseIfNotAllowed(
  id: string,
  { property = {}, requestId }: Omit<Looked, 'named'>,
  { action, doing: [before, after], noun: [one] = properties, hint }: AskedAction,
  { context }: Session,
): void {
  const mask = context.redactor.text;
  const details = reasonsAgainst(action, property)?.map(({ field, reason }) => ({
    field: cut(field, LONGEST_NAME, mask),
    reason: cut(reason, LONGEST_REASON, mask),
  }));
  if (details === undefined) return;
  const why = details.length === 0 ? ', without saying why' : '';
  const sentence = `The service does not allow ${before} ${one} ${id}${after} now${why}; nothing was sent.`;
  throw new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, details, hint, requestId });
}

/** The same for several. @param found the records by what the command line calls them. */
export function refuseNotAllowed(
  found: readonly { readonly word: string; readonly record: ServiceRecord | undefined }[],
  { action, doing: [before, after], noun: [, several] = properties, hint }: AskedAction,
): void {
  const details = found.flatMap(({ word: field, record = {} }): readonly Detail[] => {
    const reasons = reasonsAgainst(action, record);
    return reasons === undefined ? [] : [{ field, reason: reasonText(reasons.map(({ reason }) => reason)) }];
  });
  if (details.length === 0) return;
  const sentence = `The service does not allow ${before} ${details.length} of these ${several}${after} now; nothing was sent.`;
  throw new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, details, hint });
}

/** Reads a property with its actions, if the service shows them. */
export async function readWithActions(id: string, { api }: Pick<Session, 'api'>): Promise<ServiceRecord> {
  return showsActions({ api })
    ? (await api.properties.readWithActions(id)).property
    : api.properties.read(id);
}

/** `BER (Grand Hotel)` */
export function titleOf(id: string, record: ServiceRecord = {}): string {
  const name = nameIn(record);
  return name === '' ? id : `${id} (${name})`;
}

function showsActions({ api }: Pick<Session, 'api'>): boolean {
  return api.dialect.expansions?.includes('actions') === true;
}

/** Masks before cutting: a cut secret would not be recognised. */
export function cut(text: string, length: number, mask: (text: string) => string): string {
  return clip(neutraliseLine(mask(text)), length);
}

function reasonText(reasons: readonly string[]): string {
  return reasons.length === 0 ? 'without saying why' : reasons.join(' ');
}

/** For `catch`: ignores all errors but "not found". */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof CliError) || error.code === 'not_found') throw error;
}
