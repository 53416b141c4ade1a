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
import { isPiped, settledByRepeating, withEquivalentLine, withSettling } from '../../change/lines.ts';
import { nameOf, readCreated, readListing, usableId } from '../../change/listing.ts';
import { createOne } from '../../change/rows.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, detailsFor, refuseInvalid } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { keyProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { completeDraft, reviewDraft, withLineOf } from './complete.ts';
import { copiedInventory } from './copied.ts';
import { assembleBody, draftProblems, missingFields, ownFields } from './draft.ts';
import { withFieldFlags } from './given.ts';
import { idsDetails } from './reference.ts';

/** Fields that properties do not show, so that --like cannot copy them. */
export const TIMES = '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00';

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
  return withFieldFlags(command).action(
    withSession(context, (session, options) => {
      permitEach('createProperty', [], session);
      return createFrom(options, { like: options.like }, session);
    }),
  );
}

/** The flags of a creation, and those of its fields. */
export interface CreateFlags extends LookFlags, FileFlags {
  readonly idempotencyKey?: string;
  readonly validate: boolean;
}

/** Where a property comes from. */
export interface Origin {
  /** The property whose fields are copied. */
  readonly like: string | undefined;
  /** The property that is cloned. */
  readonly source?: string;
}

/**
 * Creates or clones a property from flags, a file, another property and prompts.
 *
 * @throws {CliError} exit 2 with all missing and invalid values.
 */
export async function createFrom(options: CreateFlags, origin: Origin, session: Session): Promise<void> {
  const { like, source } = origin;
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
  const isAsked = options.validate && session.mayAsk() && missingFields(given).length > 0;
  // Report errors before prompting, and before the source is read.
  const isChecked = isAsked || (source !== undefined && options.validate);
  refuseInvalid(isChecked ? draftProblems(given, false) : [], help);
  const early = isAsked ? await lookForCode(given.body, flags, session) : undefined;
  if (early?.found !== undefined) return reportExisting(existing(early.found), flags, session);
  const { validate } = options;
  const draft = await completeDraft(given, { like, validate, isAsked, help }, session);
  const isSameCode = given.body['code'] === draft.body['code'];
  const look = early && isSameCode ? early : await lookForCode(draft.body, flags, session);
  const answered = withLineOf(draft, given, session);
  if (look.found !== undefined && isAsked) return reportExisting(existing(look.found), flags, answered);
  const final = isAsked ? await reviewDraft(draft, given, session) : draft;
  const { body } = final;
  const asTyped = withLineOf(final, given, session);
  const isEdited = body['code'] !== draft.body['code'];
  const last = isEdited ? await lookForCode(body, flags, session) : look;
  const typed = { body, source, givenKey, file: options.file };
  await withEquivalentLine(isAsked, asTyped, create(typed, last, flags, asTyped));
}

/** A creation as typed. */
interface TypedCreation {
  readonly body: ServiceRecord;
  /** The property that is cloned. */
  readonly source: string | undefined;
  /** From --idempotency-key. */
  readonly givenKey: string | undefined;
  readonly file: string | undefined;
}

async function create(
  { body, source, givenKey, file }: TypedCreation,
  look: FirstLook,
  flags: LookFlags,
  session: Session,
): Promise<void> {
  const { api, context, journal, out } = session;
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
  const copied = await copiedInventory(source, made.id, isLate, session);
  const facts = withoutHoles({ ...made, created: true, idempotency_key: key, ...copied.facts });
  const sentence = `Created property ${made.id}${copied.text}${isLate ? ': not visible yet' : ''}.`;
  await out.done(sentence, isLate ? { ...facts, verification: 'not_yet_visible' } : facts);
  if (context.presentation.json) return;
  for (const note of copied.notes) await out.note(note);
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
