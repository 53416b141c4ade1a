import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, detailsFor, invalidInput, OutcomeUnknown } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { canonical, hashOf } from '../../model/canonical.ts';
import { momentOf } from '../../model/dates.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { keyProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { deriveKey } from '../../seed/keys.ts';
import { codeOf, findByCode, listedWithCode, readByCode, usableId } from '../../seed/property-index.ts';
import type { RecentCreation } from '../../seed/recent-creates.ts';
import { isoText, protectedUntil } from '../../seed/visibility.ts';
import { isOfService } from '../../service/retry.ts';
import type { CreatedRecord, CreationDoubt, NewProperty } from '../../service/settling.ts';
import {
  type Existing,
  type FileFlags,
  forgetFailed,
  type LookFlags,
  lookFirst,
  type Remembered,
  rememberCreation,
  reportExisting,
  sinceText,
  updateRemembered,
} from '../creation.ts';
import {
  isPiped,
  type Settling,
  settledByRepeating,
  withEquivalentLine,
  withSettling,
  withValue,
} from '../lines.ts';
import { completeDraft, reviewDraft, withLineOf } from './complete.ts';
import { copiedInventory } from './copied.ts';
import { assembleBody, draftProblems, missingFields, ownFields } from './draft.ts';
import { idDetails } from './get.ts';
import { withFieldFlags } from './given.ts';

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
    .option('--idempotency-key <key>', 'idempotency key (default: generated, and reused for ten minutes)')
    .option('--if-not-exists', 'succeed and print the id if a property with the code exists')
    .option('--no-check', 'do not check first if a property with the code exists')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .option('--no-validate', 'let the service validate missing and wrong values');
  return withFieldFlags(command).action(
    withSession(context, (session, options) => {
      session.api.permit('createProperty');
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
  const wrongKey = detailsFor('--idempotency-key', keyProblem(givenKey));
  if (wrongKey.length > 0) throw invalidInput(wrongKey);
  // The service recognizes a repeated key.
  const check = options.check && givenKey === undefined;
  const flags = { ...options, check };
  const earlier = like === undefined ? [] : await idDetails(like, session.api, field);
  const own = source === undefined ? ownFields : new Set(['code']);
  const given = await assembleBody(options, own, session, earlier);
  session.api.permit(source === undefined ? 'createProperty' : 'cloneProperty', given.body);
  const isAsked = options.validate && session.mayAsk() && missingFields(given).length > 0;
  // Report errors before prompting, and before the source is read.
  const isChecked = isAsked || (source !== undefined && options.validate);
  const wrong = isChecked ? draftProblems(given, false) : [];
  if (wrong.length > 0) throw invalidInput(wrong, help);
  const early = isAsked ? await lookForCode(given.body, flags, session) : undefined;
  if (early?.existing !== undefined) return reportExisting(early.existing, flags, session);
  const { validate } = options;
  const draft = await completeDraft(given, { like, validate, isAsked, help }, session);
  const isSameCode = given.body['code'] === draft.body['code'];
  const look = early && isSameCode ? early : await lookForCode(draft.body, flags, session);
  const answered = withLineOf(draft, given, session);
  if (look.existing !== undefined) return reportExisting(look.existing, flags, answered);
  const final = isAsked ? await reviewDraft(draft, given, session) : draft;
  const { body } = final;
  const asTyped = withLineOf(final, given, session);
  const isEdited = body['code'] !== draft.body['code'];
  const { existing, isAbsent } = isEdited ? await lookForCode(body, flags, session) : look;
  if (existing !== undefined) return reportExisting(existing, flags, asTyped);
  const typed = { body, source, givenKey, wasAbsent: isAbsent, file: options.file };
  await withEquivalentLine(isAsked, asTyped, create(typed, flags, asTyped));
}

async function create(typed: TypedCreation, flags: LookFlags, session: Session): Promise<void> {
  const created = await createOnce(typed, session).catch(async (error: unknown) => {
    const existing = await existingByRefusal(typed.body, error, flags, session);
    if (existing === undefined) throw error;
    return existing;
  });
  if ('facts' in created) return reportExisting(created, flags, session);
  const { record, key, isVisible } = created;
  const isLate = isVisible === false;
  const copied = await copiedInventory(typed.source, record.id, isLate, session);
  const facts = { ...record, created: true, idempotency_key: key, ...copied.facts };
  const sentence = `Created property ${record.id}${copied.text}${isLate ? ': not visible yet' : ''}.`;
  await session.out.done(sentence, isLate ? { ...facts, verification: 'not_yet_visible' } : facts);
  if (session.context.presentation.json) return;
  for (const note of copied.notes) await session.out.note(note);
}

const NEW_KEY =
  'The service repeats its failure for this idempotency key, and no property has the code: the command that settles it uses a new key.';

/** Tolerance for the clocks of two machines. */
const CLOCK_SLACK_MS = 300_000;

/** A creation as typed. */
interface TypedCreation {
  readonly body: NewProperty;
  /** The property that is cloned. */
  readonly source: string | undefined;
  /** From --idempotency-key. */
  readonly givenKey: string | undefined;
  /** Whether the list showed that no property has the code. */
  readonly wasAbsent: boolean;
  readonly file: string | undefined;
}

/**
 * Creates a property with an idempotency key, which the same command reuses within ten minutes. If the service replays
 * the creation of a property deleted since, creates it with a new key and reports that.
 *
 * @returns the property, its key, and whether it is visible, as far as known.
 * @throws {OutcomeUnknown} with a hint, if it may have been created.
 */
async function createOnce(typed: TypedCreation, session: Session) {
  const { body, source, givenKey } = typed;
  const { api, context, globals } = session;
  if (globals.dryRun === true) {
    const key = givenKey ?? context.uuid();
    return { record: await post(typed, key, {}, api), key };
  }
  const content = source === undefined ? body : { source, body };
  const what = { kind: 'property', name: codeText(body), body: content } as const;
  const remembered = await rememberCreation(what, { resends: true, typedKey: givenKey }, session);
  const { before, isKept } = remembered;
  let { key } = remembered;
  const isRepeated = givenKey !== undefined && before !== undefined;
  const seen = isRepeated ? await findCreated(typed, remembered, session).catch(unlessUnclear) : undefined;
  let record = seen ?? (await send(key, typed, remembered, session));
  if (!isKept) return { record, key };
  let isVisible = await api.properties.isVisible(record.id, before !== undefined);
  // The first response after an unknown outcome may lag; it does not indicate a deletion.
  if (isVisible === false && before?.isAnswered === true) {
    if (before.isSeen !== true)
      throw withSettling(notVisible(record, before), settlingOf(key, typed, session));
    key = nextKey(key, body);
    const fresh = { key, since: remembered.at, isSeen: false, isAnswered: false };
    await updateRemembered(remembered, fresh, session);
    await session.out.note(
      `Property ${record.id}, created earlier by the same command, is gone: creating it with a new key.`,
    );
    record = await send(key, typed, remembered, session);
    isVisible = await api.properties.isVisible(record.id, false);
  }
  const answer = { id: hashOf(record.id), isAnswered: true, status: undefined };
  await updateRemembered(remembered, isVisible ? { ...answer, isSeen: true } : answer, session);
  return { record, key, isVisible };
}

/**
 * Sends the creation. If the service replays a stored failure for the key although no such property exists, a new key
 * is needed.
 */
async function send(key: string, typed: TypedCreation, remembered: Remembered, session: Session) {
  const { code } = typed.body;
  let isAbsent = false;
  const find = async () => {
    isAbsent = false;
    const found = await findCreated(typed, remembered, session);
    isAbsent = found === undefined;
    return found;
  };
  const hasCode = typeof code === 'string' && code.trim() !== '';
  try {
    return await post(typed, key, hasCode ? { find } : {}, session.api);
  } catch (error) {
    await forgetFailed(remembered, error, session);
    if (!(error instanceof OutcomeUnknown)) throw error;
    const { before, at } = remembered;
    const { status } = error;
    // The same failure twice for a property that does not exist: the service repeats it for this key.
    const isStored = isOfService(status) && before?.status === status && before?.key === key && isAbsent;
    if (!isStored) {
      if (isOfService(status)) await updateRemembered(remembered, { status }, session);
      throw withSettling(error, settlingOf(key, typed, session));
    }
    const next = nextKey(key, typed.body);
    await updateRemembered(remembered, { key: next, since: at, status: undefined }, session);
    const { line, note = '' } = settlingOf(next, typed, session);
    throw error.settledBy(line, `${NEW_KEY} ${note}`.trim());
  }
}

function post(
  { body, source }: TypedCreation,
  key: string,
  doubt: CreationDoubt<CreatedRecord>,
  { properties }: Session['api'],
) {
  return source === undefined
    ? properties.create(body, key, doubt)
    : properties.clone(source, body, key, doubt);
}

/**
 * Looks for the property after an unknown outcome.
 *
 * @returns `undefined` if it certainly does not exist.
 * @throws {CliError} `cannot_tell`.
 */
async function findCreated({ body, wasAbsent }: TypedCreation, { before, at }: Remembered, { api }: Session) {
  const { found, doubt } = await findByCode(codeText(body), api).catch((cause: unknown) => {
    throw cause instanceof CliError ? cannotTell(cause.message.replace(/\.$/, '')) : cause;
  });
  if (found === undefined && doubt !== undefined) throw cannotTell(doubt);
  if (found === undefined) return undefined;
  const id = usableId(found['id']);
  const since = before?.since ?? at;
  const isOurs =
    (wasAbsent && before === undefined) || (momentOf(found['created']) ?? since) >= since - CLOCK_SLACK_MS;
  if (id === undefined || !isOurs) throw cannotTell('a property with its code may have been there before');
  return { ...found, id };
}

/** For `catch`: without a certain answer the creation is sent. */
function unlessUnclear(cause: unknown): undefined {
  if (!(cause instanceof CliError)) throw cause;
}

/** The command that settles the outcome for a key. */
function settlingOf(key: string, { file }: TypedCreation, { context }: Session): Settling {
  return settledByRepeating(withValue(context.argv, '--idempotency-key', key), isPiped(file));
}

function nextKey(key: string, body: NewProperty): string {
  return deriveKey(key, codeText(body), canonical(body), 1);
}

function notVisible({ id }: CreatedRecord, { since }: RecentCreation): OutcomeUnknown {
  const first = isoText(since);
  const until = isoText(protectedUntil({ since, isSpent: false }));
  return new OutcomeUnknown(
    `The service answers that it created property ${id} (first sent ${first}), and does not show it: it is not visible yet, or was deleted. Its key protects it until ${until}.`,
  );
}

function cannotTell(why: string): CliError {
  return new CliError(
    'cannot_tell',
    `Could not create the property: no answer says whether it was, and no look: ${why}.`,
  );
}

function codeText({ code }: NewProperty): string {
  return typeof code === 'string' ? code : quote(JSON.stringify(code) ?? 'none');
}

/**
 * Checks if a property with the code exists, unless --no-check is given.
 *
 * @returns the property, and whether the list showed that no property has the code.
 */
async function lookForCode({ code }: NewProperty, flags: LookFlags, session: Session) {
  const isWanted = flags.check || flags.ifNotExists === true;
  if (!isWanted || typeof code !== 'string' || code.trim() === '') return { isAbsent: false };
  const whether = `whether there is a property with the code ${quote(code)} already`;
  const sight = await lookFirst(listedWithCode(code, session.api), whether, flags, session);
  if (sight?.found !== undefined) return { existing: existingWith(code, sight.found), isAbsent: false };
  return { isAbsent: sight !== undefined && sight.doubt === undefined };
}

/** Statuses that may mean that the code is taken. */
const conflicting = new Set([409, 412, 422]);

/** With --if-not-exists, the property with the code, if the error may mean an unlisted one. */
async function existingByRefusal(
  { code }: NewProperty,
  refusal: unknown,
  { ifNotExists }: LookFlags,
  { api }: Session,
): Promise<Existing | undefined> {
  const isConflict = refusal instanceof CliError && conflicting.has(refusal.status ?? 0);
  if (!isConflict || ifNotExists !== true || typeof code !== 'string') return undefined;
  const found = await readByCode(code, api);
  return found && existingWith(code, found);
}

function existingWith(code: string, found: ServiceRecord): Existing {
  const id = usableId(found['id']);
  const since = found['created'];
  const shown = codeOf(found) ?? code;
  const named = id === undefined ? '' : `: ${id}`;
  return {
    sentence: `There is a property with the code ${quote(shown)} already${named}${sinceText(since)}.`,
    shown: { id, code: shown, created: since },
    facts: { id, code: shown, created: false, since },
  };
}
