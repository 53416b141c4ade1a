import {
  aboutProperty,
  askText,
  choice,
  choicesFrom,
  review,
  reviewOf,
  sessionWith,
} from '../../change/ask.ts';
import { agree } from '../../change/consent.ts';
import {
  type FileFlags,
  type LookFlags,
  lookFirst,
  readGivenFile,
  reportExisting,
} from '../../change/existing.ts';
import { permitEach } from '../../change/guards.ts';
import { inventoryBody } from '../../change/inventory-row.ts';
import { type Item, itemFor, type Link, linkKey } from '../../change/item.ts';
import {
  isPiped,
  keepAnswers,
  settledByRepeating,
  withEquivalentLine,
  withSettling,
} from '../../change/lines.ts';
import { usableId } from '../../change/listing.ts';
import { createOne } from '../../change/rows.ts';
import { inventoryName } from '../../files/entry.ts';
import { idsIn, withOtherLanguages } from '../../model/diff.ts';
import { type Detail, detailsFor, invalidInput } from '../../model/errors.ts';
import { type InventoryKind as EntryKind, type Field, isInLanguages, kindTable } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord, type ServiceRecord, valueAt, withoutHoles } from '../../model/records.ts';
import { capitalised, idProblem, keyProblem, quote } from '../../model/text.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import {
  type Given,
  givenFields,
  missingFields,
  readFields,
  referencesIn,
  withFieldFlags,
} from '../fields.ts';
import { suggestReference } from '../options.ts';
import { nameIn } from '../properties/reference.ts';
import {
  everyRecord,
  type InventoryKind,
  idsCalled,
  inventoryKinds,
  refuseElsewhere,
  unitGroups,
} from './kind.ts';
import { shortName } from './reading.ts';

/** What help says of `create`. */
interface Texts {
  readonly examples: readonly string[];
  readonly description: string;
}

/** Creates several records, if the values say so. */
type Several = (values: ServiceRecord, flags: CreateFlags, session: Session) => Promise<void> | undefined;

/** The flags of `create` that are no fields, as typed. */
export interface CreateFlags extends FileFlags, LookFlags {
  readonly like?: string;
  readonly idempotencyKey?: string;
}

/** `create`: POST /inventory/v1/..., always with an idempotency key. */
export function creating(entryKind: EntryKind, { examples, description }: Texts, several?: Several) {
  const kind = inventoryKinds[entryKind];
  const { fields } = kindTable[entryKind];
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
      withSession(context, (session, options) => createInventory(options, kind, several, session)),
    );
  };
}

/** Creates what a command line, a file and --like say, and asks for what is missing. */
async function createInventory(
  flags: CreateFlags,
  kind: InventoryKind,
  several: Several | undefined,
  session: Session,
): Promise<void> {
  refuseElsewhere(kind, session);
  permitEach(kind.operations.create, [], session);
  const { values: given, details } = await givenValues(flags, kind, session);
  permitEach(kind.operations.create, [inventoryBody(given, (_field, word) => word)], session);
  // Several names stand for one.
  const isSeveral = given['names'] !== undefined || details.some(({ field }) => /\bnames$/.test(field));
  const fields = kindTable[kind.entryKind].fields.filter(({ name }) => name !== 'name' || !isSeveral);
  const missing = missingFields(given, fields);
  const isAsked = missing.length > 0 && session.mayAsk();
  const wrong = [...details, ...(isAsked ? [] : missing.flatMap((field) => missingDetail(field, details)))];
  if (wrong.length > 0) throw invalidInput(wrong, `innctl ${kind.words} create --help`);
  const { values, asked } = isAsked
    ? await askMissing(given, fields, kind, session)
    : { values: given, asked: session };
  const work = several?.(values, flags, asked) ?? createSingle(values, flags, kind, asked);
  await withEquivalentLine(isAsked, asked, work);
}

/** That a field is missing, unless its value is wrong. */
function missingDetail({ flag, name }: Field, wrong: readonly Detail[]): readonly Detail[] {
  const isWrong = wrong.some(
    ({ field }) => field.split(' ')[0] === `--${flag}` || field.split(': ')[1]?.split(' ')[0] === name,
  );
  return isWrong ? [] : [{ field: `--${flag}`, reason: 'is missing' }];
}

/** The values of --file, of flags, which override it, and of --like; and what is wrong with them. */
async function givenValues(flags: CreateFlags, kind: InventoryKind, session: Session): Promise<Given> {
  const { fields } = kindTable[kind.entryKind];
  const { like, idempotencyKey } = flags;
  const typed = givenFields(flags, fields);
  const file = await readGivenFile(kind.entryKind, flags, session);
  const read = readFields(file?.fields ?? {}, fields, ({ name }) => `${file?.name}: ${name}`);
  const details = [
    ...detailsFor('--idempotency-key', keyProblem(idempotencyKey)),
    ...detailsFor('--like', like === undefined ? undefined : idProblem(like)),
    ...(file?.problems ?? []),
    ...read.details,
    ...typed.details,
  ];
  const texts = Object.fromEntries(fields.filter(isInLanguages).map(({ name }) => [name, read.values[name]]));
  const given = { ...read.values, ...withOtherLanguages(texts, typed.values) };
  if (like === undefined || details.length > 0) return { values: given, details };
  return { values: await withLike(like, given, kind, session), details };
}

async function withLike(
  like: string,
  given: ServiceRecord,
  kind: InventoryKind,
  session: Session,
): Promise<ServiceRecord> {
  const record = await kind
    .resource(session.api)
    .readAll(like)
    .catch(suggestReference(kind.referred, like, session.api));
  const taken = kindTable[kind.entryKind].fields.flatMap((field) => {
    const value = field.isOwn || given[field.name] !== undefined ? undefined : valueLike(field, record);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { ...Object.fromEntries(taken), ...given };
}

/** The value of a field for a new record that is like another one; `undefined` if there is none. */
function valueLike({ name, type, choices, shownAt }: Field, record: ServiceRecord): unknown {
  const value = valueAt(record, shownAt ?? [name]) ?? undefined;
  const ids = idsIn(value);
  if (type === 'list') return ids.length === 0 ? undefined : ids;
  return choices === undefined || choices.some((each) => each === value) ? value : undefined;
}

/** The choice for no group. */
const NONE = '-';

/**
 * Prompts for the required fields that are missing, and for the group of a unit, then for consent.
 *
 * @returns the values, and the session as if they had been typed.
 * @throws {CliError} exit 11 after a no.
 */
async function askMissing(
  given: ServiceRecord,
  fields: readonly Field[],
  { shape, entryKind }: InventoryKind,
  session: Session,
) {
  const missing = missingFields(given, fields);
  const questions = fields.filter(
    (field) => missing.includes(field) || (field.name === 'group' && given['group'] === undefined),
  );
  let values = given;
  let asked = session;
  for (const [index, field] of questions.entries()) {
    const count = `${index + 1} of ${questions.length} · `;
    const answer = await askField(field, values, count, session).catch(keepAnswers(asked));
    if (answer === NONE && field.name === 'group') continue;
    const isTexts = field.type === 'languages';
    const value = isTexts ? { en: answer } : field.type === 'whole' ? Number(answer) : answer;
    values = { ...values, [field.name]: value };
    asked = sessionWith([`--${field.flag}`, isTexts ? `en=${answer}` : answer], asked);
  }
  await review(reviewOf(values, shape), 'inventory', session);
  const item = itemFor({ kind: entryKind, name: '' }, 'create');
  const row = { item, names: [], question: 'Send it?' };
  await agree([row], {}, session, true).catch(keepAnswers(asked));
  return { values, asked };
}

async function askField(field: Field, values: ServiceRecord, count: string, session: Session) {
  const { api, context } = session;
  const { prompter } = context;
  const title = `${count}${capitalised(field.flag.replaceAll('-', ' '))}`;
  if (field.name === 'property') {
    const listed = await choicesFrom(api.properties.list({}, {}), 'id', idProblem, aboutProperty);
    if (listed !== undefined && listed.length > 0) return prompter.choose(title, listed);
  }
  if (field.name === 'group') {
    const groups = await everyRecord(unitGroups, String(values['property']), session);
    const offered = groups.flatMap((group) => {
      const { id, code } = group;
      return typeof id === 'string' ? [choice(id, nameIn(group), code)] : [];
    });
    return prompter.choose(title, [...offered, { value: NONE, label: 'no group' }]);
  }
  const example = field.example?.replace(/^\w+=/, '').replaceAll('"', '');
  const words = field.type === 'languages' ? `${title} in English` : title;
  const question = example === undefined ? words : `${words}, for example ${example}`;
  return askText(question, field.check, prompter);
}

async function createSingle(
  values: ServiceRecord,
  flags: CreateFlags,
  kind: InventoryKind,
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
  for (const { name: field, of } of kindTable[entryKind].fields) {
    if (of === undefined || of === 'property') continue;
    const kind = inventoryKinds[of];
    const value = values[field];
    const words = isRecord(value) ? Object.keys(value) : referencesIn(value);
    const found = await idsCalled(kind, words, kind.ofProperty ? at : undefined, session);
    for (const [word, id] of found) links.set(linkKey(field, word), { id });
  }
  const name = inventoryName(entryKind, values) ?? '';
  return itemFor({ kind: entryKind, name }, 'create', { body: values, links });
}

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
