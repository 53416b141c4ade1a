import { readForChange, stepsTo } from '../../change/inventory-row.ts';
import { changesShown, itemFor } from '../../change/item.ts';
import { settleBy, settledByRepeating, tellOne } from '../../change/lines.ts';
import { withReferences } from '../../change/resolve.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { asWritten, idsIn, withOtherLanguages } from '../../model/diff.ts';
import { detailsFor, invalidInput, usageError } from '../../model/errors.ts';
import { type InventoryKind as EntryKind, type Field, isInLanguages, kindTable } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord, isSameSet, type ServiceRecord } from '../../model/records.ts';
import { choiceProblem } from '../../model/text.ts';
import { languageProblem } from '../../model/values.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';
import { givenFields, withFieldFlags } from '../fields.ts';
import { type InventoryKind, inventoryKinds, type NamedRecord, nameOf, resolveInventory } from './kind.ts';
import { argumentFor, propertyFlag, shortName } from './reading.ts';

/** The flags of updates that are no fields, as typed. */
interface ChangeFlags {
  readonly property?: string;
  readonly unset?: readonly string[];
  readonly verify: boolean;
}

/** Makes what a record shall be, from what it is. */
type WantedFor = (now: ServiceRecord) => ServiceRecord;

/** What help says of `update`. */
interface Texts {
  readonly examples: readonly string[];
  readonly description: string;
  /** Of --unset. */
  readonly unset: string;
}

/** Looks up the names in changes. */
type Wanting = (
  changes: ServiceRecord,
  found: readonly NamedRecord[],
  property: string | undefined,
  session: Session,
) => Promise<WantedFor>;

/** `update`: PUT or PATCH /inventory/v1/... The record is read in every language, and what is not named stays as it is. */
export function updating(
  entryKind: EntryKind,
  texts: Texts,
  fields: readonly Field[] = kindTable[entryKind].fields.filter(({ isFixed }) => isFixed !== true),
  wanting?: Wanting,
) {
  const kind = inventoryKinds[entryKind];
  const { noun, ofProperty, operations, referred } = kind;
  const isSeveral = entryKind === 'unit';
  const [argument, named] = argumentFor(kind);
  const short = isSeveral ? noun[1] : shortName(kind);
  return (context: Context) => {
    const command = serviceCommand('update', 'writes', texts.examples)
      .exitsWith(ofProperty && 'ambiguous', isSeveral && 'partlyDone')
      .summary(isSeveral ? `update ${noun[1]}` : `update a ${noun[0]}`)
      .description(texts.description)
      .argument(isSeveral ? argument : '[id]', named);
    if (isSeveral) command.option('--property <id>', 'find units, and the group, by name at this property');
    else if (ofProperty) command.option(...propertyFlag(kind));
    const flagged = command
      .option('--unset <fields>', texts.unset, collectList)
      .option('--no-verify', `do not verify by reading the ${short} back`);
    return withFieldFlags(flagged, fields).action(
      withReferences<ChangeFlags>(context, referred, {
        operation: operations.change,
        all: (words, flags, session) => updateInventory(words, flags, kind, fields, wanting, session),
        choosesSeveral: () => isSeveral,
      }),
    );
  };
}

/**
 * Updates records alike, several with a result for each.
 *
 * @throws {CliError} exit 3 or 12 with the words that are not one record; exit 11 without consent.
 */
async function updateInventory(
  words: readonly string[],
  flags: ChangeFlags,
  kind: InventoryKind,
  fields: readonly Field[],
  wanting: Wanting | undefined,
  session: Session,
): Promise<void> {
  const { property } = flags;
  const changes = changesFrom(flags, fields, kind);
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
  const fields = changesShown(asWritten(record), steps).filter(
    ({ field }) => !field.startsWith('attributes.'),
  );
  const [from, to] = [record, wanted].map((one) => idsIn(one['attributes']));
  const isSame = wanted['attributes'] === undefined || isSameSet(from ?? [], to ?? []);
  const changes = isSame ? fields : [...fields, { field: 'attributes', from, to }];
  const named = { kind: entryKind, name: nameOf(kind, each) };
  if (steps.length === 0) return itemFor(named, 'same', { id });
  return itemFor(named, 'change', { id, record, steps, changes, wantedFor });
}

/** What flags set, and remove as `undefined`. @throws {CliError} exit 2 with all problems, or without a change. */
function changesFrom(
  flags: ChangeFlags,
  fields: readonly Field[],
  { entryKind, words }: InventoryKind,
): ServiceRecord {
  const { values, details } = givenFields(flags, fields);
  const texts = fields.filter(isInLanguages).map(({ name }) => name);
  // How a patch removes a field of a unit is not documented.
  const isRemovable = (field: Field) => entryKind !== 'unit' && field.isOptional && !isInLanguages(field);
  const removable = fields.filter(isRemovable).map(({ name }) => name);
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
