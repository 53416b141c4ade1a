import { review, reviewOf } from '../../change/ask.ts';
import { agree } from '../../change/consent.ts';
import {
  type Existing,
  type FileFlags,
  type FirstLook,
  type LookFlags,
  lookFirst,
  reportExisting,
  sinceText,
} from '../../change/existing.ts';
import { permitEach } from '../../change/guards.ts';
import { itemFor } from '../../change/item.ts';
import {
  isPiped,
  keepAnswers,
  settledByRepeating,
  withEquivalentLine,
  withSettling,
} from '../../change/lines.ts';
import { nameOf, readCreated, readListing, usableId } from '../../change/listing.ts';
import { withReferences } from '../../change/resolve.ts';
import { createOne } from '../../change/rows.ts';
import { currencyWarning } from '../../model/codes.ts';
import { CliError, detailsFor, refuseInvalid } from '../../model/errors.ts';
import { kindTable } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { counted, keyProblem, quote } from '../../model/text.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { withFieldFlags } from '../fields.ts';
import { refuseBeyond } from '../options.ts';
import { propertyShape } from '../shapes.ts';
import {
  askForMissing,
  assembleBody,
  copyMissing,
  draftProblems,
  missingFields,
  ownFields,
  refuseIncomplete,
  withLineOf,
} from './draft.ts';
import { idsDetails, properties, resolveProperties } from './reference.ts';

/** Fields that properties do not show, so that --like cannot copy them. */
const TIMES = '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00';

/**
 * `properties create`: create a property.
 *
 * POST /inventory/v1/properties, always with an idempotency key. The contract does not name its header: it is
 * `idempotency_header` of the profile, by default `Idempotency-Key`.
 */
export function createProperty(context: Context) {
  const command = serviceCommand('create new', 'writes', [
    'properties create --file hotel.yaml',
    'properties create --file hotel.yaml --code HAM --name en="Harbour Hotel" --name de=Hafenhotel',
    `properties create --like BER --code HAM --name en="Harbour Hotel" ${TIMES}`,
    'properties create --file - --json < hotel.json',
  ])
    .summary('create a property')
    .description(
      'Create a property from flags, a file, or both; flags override the file. Prompts for missing values on a terminal. The dialect apaleo also requires --payment-terms.',
    )
    .option('--file <path>', 'read the fields from YAML or JSON; - for stdin')
    .option('--like <id>', 'copy missing fields from this property')
    .option('--idempotency-key <key>', 'idempotency key (default: generated)')
    .option('--if-not-exists', 'succeed and print the id if a property with the code exists')
    .option('--no-check', 'do not check first if a property with the code exists')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .option('--no-validate', 'let the service validate missing and wrong values');
  return withFieldFlags(command, kindTable.property.fields).action(
    withSession(context, (session, options) => {
      permitEach('createProperty', [], session);
      return createFrom(options, options.like, undefined, session);
    }),
  );
}

/** The flags of a creation, and those of its fields. */
export interface CreateFlags extends LookFlags, FileFlags {
  readonly idempotencyKey?: string;
  readonly validate: boolean;
}

/**
 * Creates or clones a property from flags, a file, another property and prompts.
 *
 * @param like the property whose fields are copied.
 * @param source the property that is cloned.
 * @throws {CliError} exit 2 with all missing and invalid values.
 */
async function createFrom(
  options: CreateFlags,
  like: string | undefined,
  source: string | undefined,
  session: Session,
): Promise<void> {
  const [verb, field] = source === undefined ? ['create', '--like'] : ['clone', 'id'];
  const help = `innctl properties ${verb} --help`;
  const { idempotencyKey: givenKey } = options;
  refuseInvalid(detailsFor('--idempotency-key', keyProblem(givenKey)));
  // The service recognizes a repeated key.
  const check = options.check && givenKey === undefined;
  const flags = { ...options, check };
  const earlier = like === undefined ? [] : await idsDetails([like], session.api, undefined, field);
  const own = source === undefined ? ownFields : new Set(['code']);
  const given = await assembleBody(options, own, session, earlier);
  permitEach(source === undefined ? 'createProperty' : 'cloneProperty', [given.body], session);
  const { validate } = options;
  if (validate && source !== undefined) refuseInvalid(draftProblems(given, false), help);
  const copied = await copyMissing(given, like, session);
  const isAsked = validate && session.mayAsk() && missingFields(copied).length > 0;
  // Report errors, and what exists, before prompting.
  if (isAsked) refuseInvalid(draftProblems(copied, false), help);
  const isNamed = isAsked && given.body['code'] !== undefined;
  const early = isNamed ? await lookForCode(given.body, flags, session) : undefined;
  if (early?.found !== undefined) return reportExisting(existing(early.found), flags, session);
  const draft = isAsked ? await askForMissing(copied, given, session) : copied;
  if (validate) refuseIncomplete(draft, like, help);
  const { body } = draft;
  const warning = validate ? currencyWarning(body['currency_code']) : undefined;
  if (warning !== undefined) await session.out.warn(warning);
  const look = early ?? (await lookForCode(body, flags, session));
  const asTyped = withLineOf(draft, given, session);
  if (isAsked && look.found === undefined) await agreeToBody(body, asTyped);
  await withEquivalentLine(isAsked, asTyped, create(body, source, look, flags, asTyped));
}

/** Shows what will be sent, and asks for consent. @throws {CliError} exit 11 for no. */
async function agreeToBody(body: ServiceRecord, session: Session): Promise<void> {
  const places = kindTable.property.fields.map(({ path: [name] }) => [name, undefined] as const);
  const order = Object.fromEntries(places.filter(([name]) => name in body));
  await review(reviewOf({ ...order, ...body }, propertyShape), 'inventory', session);
  const item = itemFor({ kind: 'property', name: '' }, 'create');
  await agree([{ item, names: [], question: 'Send it?' }], {}, session, true).catch(keepAnswers(session));
}

async function create(
  body: ServiceRecord,
  source: string | undefined,
  look: FirstLook,
  flags: CreateFlags,
  session: Session,
): Promise<void> {
  const { idempotencyKey: givenKey, file } = flags;
  const { api, context, out } = session;
  const journal = await session.journal();
  const name = codeText(body);
  const item = itemFor({ kind: 'property', name }, 'create', { body, source });
  const created = await createOne({ item, names: [] }, look, session, givenKey);
  if (created === undefined) return reportExisting(existing(look.found ?? {}), flags, session);
  const { result, error, own } = created;
  const other = await existingByRefusal(body, error, flags, session);
  if (other !== undefined) return reportExisting(existing(other), flags, session);
  if (error !== undefined) throw withSettling(error, settledByRepeating(context.argv, isPiped(file)));
  const { record, id, key = own(item)?.key, isListed, isForeign } = result;
  const made = { ...record, id: String(id) };
  if (isForeign) return reportExisting(existing({ code: name, ...made }), flags, session);
  const isLate = isListed === false && (await readCreated(name, made.id, api)) === undefined;
  if (isListed === false && !isLate) journal.see('property', [{ name, id: made.id }]);
  const copied = source === undefined ? undefined : await copiedInventory(source, made.id, isLate, session);
  const facts = withoutHoles({ ...made, created: true, idempotency_key: key, ...copied?.facts });
  const sentence = `Created property ${made.id}${copied?.text ?? ''}${isLate ? ': not visible yet' : ''}.`;
  await out.done(sentence, isLate ? { ...facts, verification: 'not_yet_visible' } : facts);
}

function codeText({ code }: ServiceRecord): string {
  return typeof code === 'string' ? code : quote(JSON.stringify(code) ?? 'none');
}

/** Checks if a property with the code is listed. */
function lookForCode(body: ServiceRecord, flags: LookFlags, session: Session): Promise<FirstLook> {
  const { api } = session;
  const name = codeText(body);
  const { code } = body;
  const isUsable = typeof code === 'string' && code.trim() !== '';
  const whether = `whether there is a property with the code ${quote(name)} already`;
  const wanted = isUsable ? flags : { check: false };
  const look = async () => {
    const listing = await readListing('property', api.properties.listAll(api.dialect.withArchived));
    return listing.withName(name)[0];
  };
  return lookFirst({ kind: 'property', name }, look, whether, wanted, session);
}

/** Statuses that may mean that the code is taken. */
const conflicting = new Set([409, 412, 422]);

/** With --if-not-exists, the property with the code, if the error may mean an unlisted one. */
async function existingByRefusal(
  { code }: ServiceRecord,
  refusal: unknown,
  { ifNotExists }: LookFlags,
  { api }: Session,
): Promise<ServiceRecord | undefined> {
  const isConflict = refusal instanceof CliError && conflicting.has(refusal.status ?? 0);
  if (!isConflict || ifNotExists !== true || typeof code !== 'string') return undefined;
  return readCreated(code, code, api);
}

function existing(found: ServiceRecord): Existing {
  const id = usableId(found['id']);
  const since = found['created'];
  const code = nameOf('property', found) ?? '';
  const named = id === undefined ? '' : `: ${id}`;
  return {
    sentence: `There is a property with the code ${quote(code)} already${named}${sinceText(since)}.`,
    shown: { id, code, created: since },
    facts: { id, code, created: false, since },
  };
}

/**
 * `properties clone <id>`: create a property with the inventory and the rate plans of another one.
 *
 * POST /inventory/v1/property-actions/{id}/clone, of the dialect apaleo alone, always with an idempotency key. It takes the whole
 * body of a creation: what is not given is read from the source.
 */
export function cloneProperty(context: Context) {
  const command = serviceCommand('clone copy', 'writes', [
    `properties clone BER --code HAM --name en="Harbour Hotel" ${TIMES}`,
    'properties clone BER --file hotel.yaml --code HAM --json',
  ])
    .summary('create a property with the inventory of another one')
    .description(
      'Create a property with the inventory and rate plans of another one, not its people (dialect apaleo). Fields that are not given are copied; the code and the two times of day are needed.',
    )
    .argument('[id]', 'id of the property to clone; at a terminal also its name')
    .option('--file <path>', 'read the fields from YAML or JSON; - for stdin')
    .option('--idempotency-key <key>', 'idempotency key (default: generated)')
    .option('--if-not-exists', 'succeed and print the id if a property with the code exists')
    .option('--no-check', 'do not check first if a property with the code exists')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .option('--no-validate', 'let the service validate missing and wrong values');
  const all = withFieldFlags(command, kindTable.property.fields);
  const refuse = (session: Session) => refuseBeyond('cloneProperty', 'properties clone', session.api);
  const clone = async ([typed = '']: readonly string[], flags: CreateFlags, session: Session) => {
    const { api } = session;
    const read = async (id: string) => ({ property: await api.properties.read(id, ['all']) });
    const [found] = await resolveProperties([typed], { isWrite: true, isRead: false, read }, session);
    const source = found?.word ?? typed;
    await createFrom(flags, source, source, session);
  };
  const how = { operation: 'cloneProperty', all: clone, choosesSeveral: () => false } as const;
  return all.action(withReferences<CreateFlags>(context, { ...properties, refuse }, how));
}

/**
 * Compares the inventory of a clone with that of its source; a difference is a warning.
 *
 * @param isLate the clone cannot be read yet: nothing is compared.
 * @returns the end of the sentence, ` from BER: 3 unit groups and 41 units`, and facts.
 */
async function copiedInventory(source: string, id: string, isLate: boolean, { api, out }: Session) {
  const text = ` from ${source}`;
  if (isLate) return { text, facts: { source } };
  const countsOf = async (property_id: string) => {
    const unitGroups = await api.unitGroups.count({ property_id });
    return { unit_groups: unitGroups ?? 0, units: (await api.units.count({ property_id })) ?? 0 };
  };
  try {
    const there = await countsOf(source);
    const here = await countsOf(id);
    const [wanted, shown] = [inventoryText(there), inventoryText(here)];
    if (wanted !== shown)
      await out.warn(`${source} has ${wanted}, and ${id} has ${shown}: not all may be visible yet.`);
    return { text: `${text}: ${shown}`, facts: { source, inventory: here, source_inventory: there } };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    await out.warn(`Could not compare the inventory of ${source} and ${id}. ${failure.message}`);
    return { text, facts: { source, inventory: null, source_inventory: null } };
  }
}

/** `3 unit groups and 41 units` */
function inventoryText(counts: { readonly unit_groups: number; readonly units: number }): string {
  return `${counted(counts.unit_groups, 'unit group')} and ${counted(counts.units, 'unit')}`;
}
