import { CliError, OutcomeUnknown } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { quote } from '../../model/text.ts';
import { findByCode, listedWithCode, readByCode } from '../../seed/find-property.ts';
import { deriveKey } from '../../seed/keys.ts';
import { codeOf, usableId } from '../../seed/property-index.ts';
import { idDigest } from '../../seed/recent-creates.ts';
import { isoText, protectedUntil } from '../../seed/visibility.ts';
import { momentOf } from '../../service/invitations.ts';
import { isOfService } from '../../service/retry.ts';
import type { CreatedProperty, NewProperty } from '../../service/settling.ts';
import {
  alreadyExists,
  type Begun,
  forgetting,
  type LookFlags,
  lookFirst,
  openRecent,
  sinceText,
} from '../creation.ts';
import { inDoubt, type Settling } from '../lines.ts';

const NEW_KEY =
  'The service answers this idempotency key with its failure, and no property has the code: the command that settles it has a new key.';

/** The clocks of two machines differ. */
const CLOCK_SLACK_MS = 300_000;

/** One creation as it was typed. */
export interface TypedCreation {
  readonly body: NewProperty;
  /** From --idempotency-key. */
  readonly givenKey: string | undefined;
  /** Whether the list showed before that no property had the code. */
  readonly wasAbsent: boolean;
  /** What settles a doubt under a key. */
  readonly settling: (key: string) => Settling;
}

/** A property that is there now. */
export interface Created {
  readonly record: CreatedProperty;
  readonly key: string;
  /** `undefined` where it was not read, or reading told nothing. */
  readonly isVisible?: boolean | undefined;
}

/**
 * Creates a property under a key that the same command, typed again within ten minutes, uses too. What was answered under
 * such a key is read: where it was deleted since, one new key is used, and that is said.
 *
 * @throws {OutcomeUnknown} with its hint, when it may have been created.
 */
export async function createOnce(typed: TypedCreation, session: Session): Promise<Created> {
  const { body, settling } = typed;
  const { api, out } = session;
  const memory = await openRecent({ kind: 'property', name: textOf(body['code']), body }, session);
  const begun = await begin(typed, memory, session);
  const { before, isKept } = begun;
  const search = openSearch(typed, begun, session);
  const send = (key: string) =>
    api.properties.create(body, key, search.doubt).catch(failing(key, { begun, memory, search, typed }));
  const isOwn = typed.givenKey !== undefined && before !== undefined;
  const record = (isOwn ? await search.seen() : undefined) ?? (await send(begun.key));
  if (!isKept) return { record, key: begun.key };
  const isVisible = await api.properties.isVisible(record.id, before !== undefined);
  // What answers a doubt for the first time was made now, or by the try in doubt: it may lag, but it is no news of a deletion.
  if (isVisible !== false || before?.isAnswered !== true) {
    await memory.change((known) => answered(known, record, isVisible));
    return { record, key: begun.key, isVisible };
  }
  if (before.isSeen !== true) return inDoubt(settling(begun.key))(notVisible(record, begun));
  const key = nextKey(begun.key, body);
  await memory.change((known) => ({ ...known, key, since: known.at, isSeen: false, isAnswered: false }));
  await out.note(`Property ${record.id} of the same command before is gone: creating it under a new key.`);
  const again = await send(key);
  const isShown = await api.properties.isVisible(again.id, false);
  await memory.change((known) => answered(known, again, isShown));
  return { record: again, key, isVisible: isShown };
}

type Memory = Awaited<ReturnType<typeof openRecent>>;

/** A key that was typed is used as it is, and is remembered unless the same command before has another one. */
async function begin(
  { givenKey }: TypedCreation,
  memory: Memory,
  { context, globals }: Session,
): Promise<Begun> {
  const key = givenKey ?? context.uuid();
  const isOther = givenKey !== undefined && (memory.recall()?.key ?? givenKey) !== givenKey;
  if (globals.dryRun === true || isOther) return { key, before: undefined, isKept: false };
  return memory.begin(true, key);
}

/** Looks for the property where it may have been created. */
function openSearch({ body, wasAbsent }: TypedCreation, { before }: Begun, { api, context }: Session) {
  const { code } = body;
  const since = before?.since ?? context.clock.now();
  const isOurs = ({ created }: NewProperty) =>
    (wasAbsent && before === undefined) || (momentOf(created) ?? since) >= since - CLOCK_SLACK_MS;
  let isAbsent = false;
  const find = async (): Promise<CreatedProperty | undefined> => {
    isAbsent = false;
    const { found, doubt } = await findByCode(textOf(code), api).catch(untold);
    const id = usableId(found?.['id']);
    if (found !== undefined && id !== undefined && isOurs(found)) return { ...found, id };
    if (found !== undefined) throw cannotTell('a property with its code may have been there before');
    if (doubt !== undefined) throw cannotTell(doubt);
    isAbsent = true;
    return undefined;
  };
  return {
    doubt: typeof code === 'string' && code.trim() !== '' ? { find } : {},
    isAbsent: () => isAbsent,
    /** `undefined` also where nothing tells. */
    seen: () =>
      find().catch((cause: unknown) => {
        if (!(cause instanceof CliError)) throw cause;
        return undefined;
      }),
  };
}

interface Sending {
  readonly begun: Begun;
  readonly memory: Memory;
  readonly search: ReturnType<typeof openSearch>;
  readonly typed: TypedCreation;
}

/** Writes down how it failed. A failure that a key brings again, while nothing is there, is what the service stores: it needs another key. */
function failing(key: string, { begun, memory, search, typed }: Sending) {
  return async (error: unknown): Promise<never> => {
    const status = error instanceof CliError ? (error.status ?? 0) : 0;
    if (!(error instanceof OutcomeUnknown)) return forgetting(memory, begun)(error);
    const { before, isKept } = begun;
    const isAgain = before?.status === status && before.key === key;
    if (isOfService(status) && isAgain && search.isAbsent()) {
      const next = nextKey(key, typed.body);
      if (isKept)
        await memory.change(({ status: _, ...known }) => ({ ...known, key: next, since: known.at }));
      const { line, besides } = typed.settling(next);
      throw error.settledBy(line, besides === undefined ? NEW_KEY : `${NEW_KEY} ${besides}`);
    }
    if (isKept && isOfService(status)) await memory.change((known) => ({ ...known, status }));
    return inDoubt(typed.settling(key))(error);
  };
}

function answered(
  known: Parameters<Parameters<Memory['change']>[0]>[0],
  { id }: CreatedProperty,
  isVisible?: boolean,
) {
  const { status: _, ...rest } = known;
  return { ...rest, id: idDigest(id), isAnswered: true, isSeen: rest.isSeen === true || isVisible === true };
}

function nextKey(key: string, body: NewProperty): string {
  return deriveKey(key, textOf(body['code']), body, 1);
}

function notVisible({ id }: CreatedProperty, { before }: Begun): OutcomeUnknown {
  const since = before?.since ?? 0;
  const first = isoText(since);
  const until = isoText(protectedUntil({ since, isSpent: false }));
  return new OutcomeUnknown(
    `The service answers that it created property ${id} (first sent ${first}), and does not show it: it is not visible yet, or was deleted. Its key protects it until ${until}.`,
  );
}

function untold(cause: unknown): never {
  throw cause instanceof CliError ? cannotTell(cause.message.replace(/\.$/, '')) : cause;
}

function cannotTell(why: string): CliError {
  return new CliError(
    'cannot_tell',
    `Could not create the property: no answer says whether it was, and no look: ${why}.`,
  );
}

function textOf(code: unknown): string {
  return typeof code === 'string' ? code : quote(String(code));
}

/** Refusals that may mean that the code is taken. */
const conflicting = new Set([409, 412, 422]);

/** Looks for the code of a property before it is created, each code once. */
export function openLook(flags: LookFlags, session: Session) {
  const { ifNotExists } = flags;
  const isWanted = flags.check || ifNotExists === true;
  const { api, context, out } = session;
  let looked: string | undefined;
  let isAbsent = false;
  const tell = async (code: string, found: ServiceRecord) => {
    const id = usableId(found['id']);
    const since = found['created'];
    const shown = codeOf(found) ?? code;
    const sentence = `There is a property with the code ${quote(shown)} already${id === undefined ? '' : `: ${id}`}${sinceText(since)}.`;
    if (ifNotExists === true) return out.done(sentence, { id, code: shown, created: false, since });
    const named = { id, code: shown, created: since };
    const details = Object.entries(named).flatMap(([field, value]) =>
      typeof value === 'string' ? [{ field, reason: value }] : [],
    );
    throw alreadyExists(sentence, details, context.argv);
  };
  return {
    /**
     * Whether it is there, and that was told as a result (--if-not-exists).
     *
     * @throws {CliError} `already_exists`, exit 6, when it is there otherwise.
     */
    async isThere({ code }: ServiceRecord): Promise<boolean> {
      if (!isWanted || typeof code !== 'string' || code.trim() === '' || code === looked) return false;
      looked = code;
      const whether = `whether there is a property with the code ${quote(code)} already`;
      const sight = await lookFirst(() => listedWithCode(code, api), whether, flags, session);
      if (sight?.found !== undefined) {
        await tell(code, sight.found);
        return true;
      }
      isAbsent = sight !== undefined && sight.doubt === undefined;
      if (sight?.doubt !== undefined && ifNotExists === true)
        await out.warn(`Could not look ${whether}: ${sight.doubt}.`);
      return false;
    },
    /** Whether the list showed that no property had the code. */
    wasAbsent: () => isAbsent,
    /** The service refused it: the same, where it was because the code is taken by one that no list shows. */
    async isTaken({ code }: ServiceRecord, refusal: unknown): Promise<boolean> {
      const isConflict = refusal instanceof CliError && conflicting.has(refusal.status ?? 0);
      if (!isConflict || ifNotExists !== true || typeof code !== 'string') return false;
      const found = await readByCode(code, api);
      if (found !== undefined) await tell(code, found);
      return found !== undefined;
    },
  };
}
