import { sessionWith } from '../change/ask.ts';
import { permitRows } from '../change/guards.ts';
import { changesShown, type FieldChange, itemFor } from '../change/item.ts';
import { ignoringNotFound, settleBy, settledByRepeating, tellOne } from '../change/lines.ts';
import type { Referred } from '../change/resolve.ts';
import { changeOne, changeRows } from '../change/rows.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { type HotelKind, kindText, severalOf } from '../model/kinds.ts';
import { changesNothing } from '../model/patch.ts';
import type { ServiceRecord } from '../model/records.ts';
import { capitalised } from '../model/text.ts';
import type { Facts } from '../print/output.ts';
import { clip, neutraliseLine } from '../print/text.ts';
import { type LifeVerb, lifeActions } from '../service/inventory.ts';
import { reasonsAgainst } from '../service/property-names.ts';
import type { Session } from '../session/session.ts';
import { suggestReference } from './options.ts';
import { type NamedProperty, nameIn } from './properties/reference.ts';

/** The words before and after a record. */
type Around = readonly [before: string, after: string];

/** What is done to records that cannot be undone, and how messages speak of it. */
export interface Ending {
  readonly kind: HotelKind;
  readonly referred: Referred;
  readonly verb: LifeVerb | 'delete';
  /** `setting` BER `live` */
  readonly doing: Around;
  /** `This sets` BER `live.` */
  readonly severe?: readonly [before: string, after: string, alone?: string];
  /** `Set property BER live` */
  readonly done: Around;
  /** `is live already` */
  readonly already?: string;
  /** What a plan says of it that no field shows. */
  readonly unshown?: FieldChange;
  /** What the result says of the record. */
  readonly facts?: Facts;
  readonly fact: 'deleted' | 'changed' | 'archived';
  /** What a repeat of the command means, if no read settles a doubt. */
  readonly note?: string;
  /** What is allowed instead of what the service refuses. */
  readonly insteadOf?: (refused: readonly Found[]) => string | undefined;
}

/** A record that a word of the command line names. */
export interface Found extends NamedProperty {
  /** Default: the word. */
  readonly id?: string;
  /** What plans call it; default: its id. */
  readonly name?: string;
}

/** The flags of the actions. */
export interface EndingFlags {
  readonly confirm?: readonly string[];
  readonly verify: boolean;
  /** Of a deletion. */
  readonly ignoreNotFound?: true;
}

/**
 * Carries out an action, or a deletion.
 *
 * @throws {CliError} exit 6 with the service's reasons; exit 11 without consent; exit 8 for an unknown outcome.
 */
export async function endRecords(
  found: readonly Found[],
  isOne: boolean,
  ending: Ending,
  { confirm, verify, ignoreNotFound }: EndingFlags,
  session: Session,
): Promise<void> {
  const { api, out, context } = session;
  const { kind, referred, verb, done, already, unshown, facts, fact, note } = ending;
  const isDeletion = verb === 'delete';
  const steps = isDeletion ? [] : lifeActions[verb].steps;
  const isDone = ({ record = {}, isMissing }: Found) =>
    isMissing === true || (steps.length > 0 && changesNothing(record, steps));
  // Several properties that were deleted are not read back.
  const isReadBack = verify && (isOne || kind !== 'property' || !isDeletion);
  const rows = found.map((each) => {
    const { word, id = word, name = id, record } = each;
    const changes = [...changesShown(record ?? {}, steps), ...[unshown ?? []].flat()];
    const deleting = { record, mustExist: isOne && ignoreNotFound !== true };
    const about = isDone(each)
      ? { id, reason: already }
      : { id, isReadBack, ...(isDeletion ? deleting : { life: verb, changes }) };
    const action = isDone(each) ? 'same' : isDeletion ? 'delete' : 'change';
    const item = itemFor({ kind, name }, action, about);
    return { item, id, names: [id, word], title: titleOf(id, record, session), severe: ending.severe };
  });
  permitRows(
    rows.map(({ item }) => item),
    session,
  );
  refuseNotAllowed(
    found.filter((each) => !isDone(each)),
    ending,
    session,
  );
  const safely = isDeletion ? ignoringNotFound(ignoreNotFound) : [];
  if (!isOne) return changeRows(rows, { confirm }, session, sessionWith(safely, session));
  const one = kindText(kind);
  for (const { id, ...row } of rows) {
    const settling = settledByRepeating(context.argv, false, ...safely);
    const result = await changeOne(row, { confirm }, session)
      .catch(suggestReference(referred, id, api))
      .catch(settleBy({ ...settling, ...(note !== undefined && { note }) }));
    const told = { done: done.join(` ${one} ${id}`), facts: { id, ...facts }, fact };
    const isThere = row.item.action === 'same' && fact === 'archived';
    if (isThere) {
      const known = { ...told.facts, archived: true, presumed: true };
      await out.done(`${capitalised(one)} ${id} is archived already.`, known);
    } else {
      const undone = isDeletion ? `There is no ${one} ${id}.` : `Property ${row.title} ${already}.`;
      await tellOne(result, { ...told, undone }, out);
    }
  }
}

/** Maximum length of a name and of a reason, code units. */
const LONGEST_NAME = 60;
const LONGEST_REASON = 1_000;

/** Refuses an action that records do not allow. @throws {CliError} `not_allowed`: about one with the service's reasons, about several with the words of those. */
function refuseNotAllowed(
  found: readonly Found[],
  { kind, verb, doing: [before, after], insteadOf }: Ending,
  { context }: Session,
): void {
  const mask = context.redactor.text;
  const action = verb === 'delete' ? 'Delete' : lifeActions[verb].action;
  const refused = found.flatMap((each) => {
    const reasons = reasonsAgainst(action, each.record ?? {})?.map(({ field, reason }) => ({
      field: cut(field, LONGEST_NAME, mask),
      reason: cut(reason, LONGEST_REASON, mask),
    }));
    return reasons === undefined ? [] : [{ each, id: each.id ?? each.word, reasons }];
  });
  const [first] = refused;
  if (first === undefined) return;
  const isOne = found.length === 1;
  const what = isOne ? `${kindText(kind)} ${first.id}` : `${refused.length} of these ${severalOf(kind)}`;
  const why = isOne && first.reasons.length === 0 ? ', without saying why' : '';
  const sentence = `The service does not allow ${before} ${what}${after} now${why}; nothing was sent.`;
  const all = refused.map(({ id: field, reasons }) => {
    const reason = reasons.map((each) => each.reason).join(' ') || 'without saying why';
    return { field, reason };
  });
  const about = isOne ? { details: first.reasons, requestId: first.each.requestId } : { details: all };
  const hint = insteadOf?.(refused.map(({ each }) => each));
  throw new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, hint, ...about });
}

/** `BER (Grand Hotel)` */
function titleOf(id: string, record: ServiceRecord = {}, { context }: Session): string {
  const name = nameIn(record);
  if (name === '' || name === id) return id;
  return `${id} (${cut(name, LONGEST_NAME, context.redactor.text)})`;
}

/** Masks before cutting: a cut secret would not be recognised. */
function cut(text: string, length: number, mask: (text: string) => string): string {
  return clip(neutraliseLine(mask(text)), length);
}
