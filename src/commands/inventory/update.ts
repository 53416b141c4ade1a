import { readForChange, stepsTo } from '../../change/inventory-row.ts';
import { changesShown, itemFor } from '../../change/item.ts';
import { settleBy, settledByRepeating } from '../../change/lines.ts';
import { withReferences } from '../../change/references.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { tellOne } from '../../change/tell.ts';
import { detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { asWritten, withOtherLanguages } from '../../model/inventory-diff.ts';
import type { InventoryField } from '../../model/inventory-fields.ts';
import { choiceProblem } from '../../model/names.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { languageProblem } from '../../model/values.ts';
import { givenFields } from './fields.ts';
import { type InventoryKind, type NamedRecord, nameOf, resolveInventory } from './kind.ts';

/** The flags of updates that are no fields, as typed. */
interface ChangeFlags {
  readonly property?: string;
  readonly unset?: readonly string[];
  readonly verify: boolean;
}

/** Makes what a record shall be, from what it is. */
type WantedFor = (now: ServiceRecord) => ServiceRecord;

/** How records of one kind are changed. */
interface Updating {
  readonly kind: InventoryKind;
  readonly fields: readonly InventoryField[];
  /** The fields that --unset removes, besides languages. */
  readonly removable: readonly string[];
  /** Looks up the names in changes. Default: the changes as they are. */
  readonly wanting?: (
    changes: ServiceRecord,
    found: readonly NamedRecord[],
    property: string | undefined,
    session: Session,
  ) => Promise<WantedFor>;
}

/** The action of `update`. */
export function updating(context: Context, how: Updating) {
  const { operations, referred, words: noun } = how.kind;
  return withReferences<ChangeFlags>(context, referred, {
    operation: operations.update,
    all: (words, flags, session) => updateInventory(words, flags, how, session),
    choosesSeveral: () => noun === 'units',
  });
}

/**
 * Updates records alike, several with a result for each.
 *
 * @throws {CliError} exit 3 or 12 with the words that are not one record; exit 11 without consent.
 */
async function updateInventory(
  words: readonly string[],
  flags: ChangeFlags,
  how: Updating,
  session: Session,
): Promise<void> {
  const { kind, wanting } = how;
  const { property } = flags;
  const changes = changesFrom(flags, how);
  const isOne = words.length === 1;
  if (!isOne && changes['name'] !== undefined) throw usageError('--name is for one unit at a time.');
  const read = (id: string) => readForChange(kind.entryKind, id, session.api);
  const found = await resolveInventory(words, kind, { property, isWrite: true, read }, session);
  const wantedFor =
    (await wanting?.(changes, found, property, session)) ??
    ((now: ServiceRecord) => withOtherLanguages(now, changes));
  const rows = found.map((each) => {
    const { id, word } = each;
    return { item: { ...itemOf(each, wantedFor, kind), isReadBack: flags.verify }, names: [id, word] };
  });
  if (!isOne) return changeRows(rows, {}, session);
  const { out, context } = session;
  for (const row of rows) {
    const { id } = row.item;
    const settling = settledByRepeating(context.argv, false);
    const result = await changeOne(row, {}, session).catch(settleBy(settling));
    const told = { done: `Updated ${kind.noun[0]} ${id}`, undone: 'Nothing was changed.', facts: { id } };
    await tellOne(result, { ...told, fact: 'updated' }, out);
  }
}

/** The row that makes a record what is wanted. @throws {CliError} exit 2 if a text has no language left. */
function itemOf(each: NamedRecord, wantedFor: WantedFor, kind: InventoryKind) {
  const { id, record } = each;
  const { entryKind } = kind;
  const wanted = wantedFor(record);
  const [empty] = Object.entries(wanted).filter(([, to]) => isRecord(to) && Object.keys(to).length === 0);
  if (empty !== undefined)
    throw invalidInput([{ field: '--unset', reason: `${empty[0]} needs a text in at least one language` }]);
  const steps = stepsTo(entryKind, record, wanted);
  const changes = changesShown(asWritten(record), steps);
  const named = { kind: entryKind, name: nameOf(kind, each) };
  if (steps.length === 0) return itemFor(named, 'same', { id });
  return itemFor(named, 'change', { id, record, steps, changes, wantedFor });
}

/** What flags set, and remove as `undefined`. @throws {CliError} exit 2 with all problems, or without a change. */
function changesFrom(flags: ChangeFlags, { fields, kind: { words }, removable }: Updating): ServiceRecord {
  const { values, details } = givenFields(flags, fields);
  const texts = fields.filter(({ kind }) => kind === 'languages').map(({ name }) => name);
  const unset = flags.unset ?? [];
  const wrong = unset.flatMap((path) => {
    const [name = '', ...rest] = path.split('.');
    const language = rest.join('.');
    const isText = texts.includes(name) && language !== '';
    const known = [...removable, ...texts.map((text) => `${text}.de`)];
    const { [name]: set } = values;
    const isTwice = isText ? isRecord(set) && language in set : name in values;
    const reason = isText ? languageProblem(language) : choiceProblem(path, known);
    return detailsFor('--unset', reason ?? (isTwice ? `${path} is set by a flag too` : undefined));
  });
  if (details.length + wrong.length > 0)
    throw invalidInput([...details, ...wrong], `innctl ${words} update --help`);
  if (Object.keys(values).length + unset.length === 0)
    throw usageError('No changes given.', `innctl ${words} update --help`);
  const changes: Record<string, unknown> = { ...values };
  for (const path of unset) {
    const [name = '', ...language] = path.split('.');
    const { [name]: set } = changes;
    const others = isRecord(set) ? set : {};
    changes[name] = language.length === 0 ? undefined : { ...others, [language.join('.')]: undefined };
  }
  return changes;
}
