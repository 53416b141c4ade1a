import { type FileFlags, type LookFlags, lookFirst, reportExisting } from '../../change/existing.ts';
import { permitEach } from '../../change/guards.ts';
import { inventoryBody } from '../../change/inventory-row.ts';
import { type Item, itemFor, type Link, linkKey } from '../../change/item.ts';
import { isPiped, settledByRepeating, withEquivalentLine, withSettling } from '../../change/lines.ts';
import { usableId } from '../../change/listing.ts';
import { createOne } from '../../change/rows.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { type Detail, detailsFor, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { inventoryName } from '../../files/entry.ts';
import { withOtherLanguages } from '../../model/inventory-diff.ts';
import type { InventoryField } from '../../model/inventory-fields.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { keyProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { askMissing } from './asking.ts';
import {
  fieldsInFile,
  type Given,
  givenFields,
  missingFields,
  referencesIn,
  withFieldFlags,
} from './fields.ts';
import {
  everyRecord,
  type InventoryKind,
  idsCalled,
  refuseElsewhere,
  suggestId,
  unitAttributes,
  unitGroups,
  units,
} from './kind.ts';
import { shortName } from './reading.ts';

/** How records of one kind are made of the values of their fields. */
export interface Making {
  readonly kind: InventoryKind;
  readonly fields: readonly InventoryField[];
  /** The values that a record of --like has for a new one. */
  readonly valuesLike: (record: ServiceRecord) => ServiceRecord;
  /** Creates several, if the values say so. */
  readonly several?: (
    values: ServiceRecord,
    flags: CreateFlags,
    session: Session,
  ) => Promise<void> | undefined;
}

/** The flags of `create` that are no fields, as typed. */
export interface CreateFlags extends FileFlags, LookFlags {
  readonly like?: string;
  readonly idempotencyKey?: string;
}

/** `create`: POST /inventory/v1/..., always with an idempotency key. */
export function creating(making: Making, examples: readonly string[], description: string) {
  const { kind, fields, several } = making;
  const one = `${shortName(kind)} with the ${kind.calledBy}`;
  return (context: Context) => {
    const command = serviceCommand('create new', 'writes', examples)
      .exitsWith(kind.ofProperty && 'ambiguous', several !== undefined && 'partlyDone')
      .summary(several === undefined ? `create a ${kind.noun[0]}` : `create ${kind.noun[1]}`)
      .description(description)
      .option('--file <path>', 'read the fields from YAML or JSON; - for stdin')
      .option('--like <id>', 'copy missing fields from this one')
      .option('--idempotency-key <key>', 'idempotency key (default: generated)')
      .option('--if-not-exists', `succeed and print the id if a ${one} exists`)
      .option('--no-check', `do not check first if a ${one} exists`);
    return withFieldFlags(command, fields).action(
      withSession(context, (session, options) => createInventory(options, making, session)),
    );
  };
}

/** Creates what a command line, a file and --like say, and asks for what is missing. */
async function createInventory(flags: CreateFlags, making: Making, session: Session): Promise<void> {
  const { kind, several } = making;
  refuseElsewhere(kind, session);
  permitEach(kind.operations.create, [], session);
  const { values: given, details } = await givenValues(flags, making, session);
  permitEach(kind.operations.create, [inventoryBody(given, (_field, word) => word)], session);
  // Several names stand for one.
  const isSeveral = given['names'] !== undefined || details.some(({ field }) => /\bnames$/.test(field));
  const fields = making.fields.filter(({ name }) => name !== 'name' || !isSeveral);
  const missing = missingFields(given, fields);
  const isAsked = missing.length > 0 && session.mayAsk();
  const wrong = [...details, ...(isAsked ? [] : missing.flatMap((field) => missingDetail(field, details)))];
  if (wrong.length > 0) throw invalidInput(wrong, `innctl ${kind.words} create --help`);
  const { values, asked } = isAsked
    ? await askMissing(given, fields, kind, session)
    : { values: given, asked: session };
  const work = several?.(values, flags, asked) ?? createSingle(values, flags, making, asked);
  await withEquivalentLine(isAsked, asked, work);
}

/** That a field is missing, unless its value is wrong. */
function missingDetail({ flag, name }: InventoryField, wrong: readonly Detail[]): readonly Detail[] {
  const isWrong = wrong.some(
    ({ field }) => field.split(' ')[0] === `--${flag}` || field.split(': ')[1]?.split(' ')[0] === name,
  );
  return isWrong ? [] : [{ field: `--${flag}`, reason: 'is missing' }];
}

/** The values of --file, of flags, which override it, and of --like; and what is wrong with them. */
async function givenValues(flags: CreateFlags, making: Making, session: Session): Promise<Given> {
  const { fields } = making;
  const { file, like, idempotencyKey } = flags;
  const typed = givenFields(flags, fields);
  const read = file === undefined ? undefined : await fieldsInFile(file, fields, session);
  const details = [
    ...detailsFor('--idempotency-key', keyProblem(idempotencyKey)),
    ...(read?.details ?? []),
    ...typed.details,
  ];
  const { connected } = typed.values;
  const merged = withOtherLanguages(read?.values ?? {}, typed.values);
  const given = { ...read?.values, ...merged, ...(connected === undefined ? {} : { connected }) };
  if (like === undefined || details.length > 0) return { values: given, details };
  return { values: await withLike(like, given, making, session), details };
}

async function withLike(
  like: string,
  given: ServiceRecord,
  { kind, valuesLike }: Making,
  session: Session,
): Promise<ServiceRecord> {
  const record = await kind
    .resource(session.api)
    .readAll(like)
    .catch(suggestId(like, kind, session));
  const taken = Object.entries(valuesLike(record)).filter(
    ([name, value]) => given[name] === undefined && value !== undefined && value !== null,
  );
  const names = taken.map(([name]) => name.replaceAll('_', ' ')).join(', ');
  await session.out.note(`Taken from ${like}: ${names === '' ? 'nothing' : names}.`);
  return { ...Object.fromEntries(taken), ...given };
}

async function createSingle(
  values: ServiceRecord,
  flags: CreateFlags,
  { kind }: Making,
  session: Session,
): Promise<void> {
  const { context, out } = session;
  const { idempotencyKey: givenKey } = flags;
  const { calledBy, noun, entryKind } = kind;
  const called = quote(String(values[calledBy]));
  const whether = `whether there is a ${noun[0]} with the ${calledBy} ${called} already`;
  const find = () => findCalled(values, kind, session);
  // The service recognizes a repeated key.
  const wanted = { ...flags, check: flags.check && givenKey === undefined };
  const about = { kind: entryKind, name: inventoryName(entryKind, values) ?? '' };
  const look = await lookFirst(about, find, whether, wanted, session);
  const item = await itemOf(kind, values, session);
  const created = await createOne({ item, names: [] }, look, session, givenKey);
  if (created === undefined) return reportExisting(existing(look.found ?? {}, kind, called), flags, session);
  const { result, error, own } = created;
  if (error !== undefined) throw withSettling(error, settledByRepeating(context.argv, isPiped(flags.file)));
  const { record, id, key = own(item)?.key, isForeign } = result;
  const made = { ...record, id: String(id) };
  if (isForeign) return reportExisting(existing(made, kind, called), flags, session);
  const facts = withoutHoles({ ...made, created: true, idempotency_key: key });
  await out.done(`Created ${noun[0]} ${made.id}.`, facts);
}

/**
 * The row that creates a record. Names of other records are looked up.
 *
 * @throws {CliError} exit 3 and 12 for names that are not one record.
 */
export async function itemOf(
  { entryKind }: InventoryKind,
  values: ServiceRecord,
  session: Session,
): Promise<Item> {
  const at = String(values['property']);
  const links = new Map<string, Link>([[linkKey('property', at), { id: at }]]);
  for (const [field, kind] of Object.entries(referring)) {
    const value = values[field];
    const words = isRecord(value) ? Object.keys(value) : referencesIn(value);
    const found = await idsCalled(kind, words, kind.ofProperty ? at : undefined, session);
    for (const [word, id] of found) links.set(linkKey(field, word), { id });
  }
  const name = inventoryName(entryKind, values) ?? '';
  return itemFor({ kind: entryKind, name }, 'create', { body: values, links });
}

/** The fields that name other records. */
const referring: Readonly<Record<string, InventoryKind>> = {
  group: unitGroups,
  connected: unitGroups,
  attributes: unitAttributes,
  connects: units,
};

/** The record with the code or name of the values, in the whole list. */
async function findCalled(values: ServiceRecord, kind: InventoryKind, session: Session) {
  const property = typeof values['property'] === 'string' ? values['property'] : undefined;
  const records = await everyRecord(kind, property, session);
  const found = records.find((record) => record[kind.calledBy] === values[kind.calledBy]);
  const id = found && usableId(found['id']);
  return found === undefined || id === undefined ? undefined : { ...found, id };
}

function existing(record: ServiceRecord, { noun, calledBy }: InventoryKind, called: string) {
  const { id, is_archived: isArchived } = record;
  const state = isArchived === true ? ' already, archived' : ' already';
  return {
    sentence: `There is a ${noun[0]} with the ${calledBy} ${called}${state}: ${id}.`,
    shown: { id, [calledBy]: record[calledBy] },
    facts: { id, created: false },
  };
}
