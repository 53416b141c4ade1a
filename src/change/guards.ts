import type { Entry } from '../files/entry.ts';
import { adminFlag } from '../model/access.ts';
import { CliError } from '../model/errors.ts';
import type { ServiceRecord } from '../model/records.ts';
import { firstOf } from '../model/text.ts';
import { lifeActions } from '../service/inventory.ts';
import { kindOperations, type OperationId } from '../service/operations.ts';
import type { RawRequest } from '../service/raw.ts';
import type { Api } from '../service/service.ts';
import type { Judgement } from '../service/users.ts';
import {
  type Admins,
  emailOf,
  isAllowed,
  isSame,
  judgeLockout,
  lockoutError,
  readAdmins,
  type UserReference,
} from '../service/users.ts';
import type { Session } from '../session/session.ts';
import { labelOf } from './end.ts';
import { type Item, isPending, reduces } from './item.ts';
import { again } from './lines.ts';
import { resolveRow } from './row.ts';

const MOST_NAMED = 20;

/** An operation, and the ids and bodies that guards judge. */
type Asked = readonly [id: OperationId, ...about: (string | ServiceRecord)[]];

/** Asks the guards about an operation before anything is read: about each word, or alone. @throws {CliError} `blocked`, exit 11. */
export function permitEach(
  operation: OperationId,
  about: readonly (string | ServiceRecord)[],
  session: Pick<Session, 'api'>,
): void {
  refuseForbidden(about.length === 0 ? [[operation]] : about.map((each) => [operation, each]), session);
}

/** Asks the guards about all rows that send something. @throws {CliError} `blocked`, exit 11. */
export function permitRows(items: readonly Item[], session: Pick<Session, 'api'>): void {
  refuseForbidden(items.filter(isPending).map(operationOf), session);
}

/** Asks the guards about the kinds of entries before anything is read. @throws {CliError} `blocked`, exit 11. */
export function permitKinds(entries: readonly Entry[], prune: boolean, session: Pick<Session, 'api'>): void {
  const asked = [...new Set(entries.map(({ kind }) => kindOperations[kind].create))].map((id): Asked => [id]);
  refuseForbidden(prune ? [...asked, ['deleteProperty']] : asked, session);
}

/** Asks the guards about a request that no row stands for. @throws {CliError} `blocked`, exit 11. */
export function permitRequest(request: RawRequest, { raw }: Pick<Api, 'raw'>): void {
  raw.permit(request);
}

/** Asks the guards about taking something away that no operation says. @throws {CliError} `blocked`, exit 11. */
export function permitLoss(does: string, { api }: Pick<Session, 'api'>): void {
  api.permitLoss(does);
}

/** The operation of a pending row. */
function operationOf(item: Item): Asked {
  const { kind, action, name, id = name, life, record = {} } = item;
  const operation = kindOperations[kind];
  const { body } = resolveRow(item, new Map(), new Map());
  if (action === 'create') return [operation.create, name, body];
  if (life !== undefined) return [kind === 'unit' ? 'archiveUnit' : lifeActions[life].operation, id, name];
  if (action === 'change') return [operation.change, id, name, emailOf(record) ?? name, body];
  return kind === 'invitation' ? [operation.delete, name] : [operation.delete, id, name];
}

/** @throws {CliError} `blocked`, exit 11, listing all that the guards forbid. */
function refuseForbidden(asked: readonly Asked[], { api }: Pick<Session, 'api'>): void {
  const refusals = new Map<string, CliError>();
  for (const [id, ...about] of asked) {
    try {
      api.permit(id, ...about);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refusals.set(error.message, error);
    }
  }
  const [first, second] = refusals.values();
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = firstOf([...refusals.keys()], MOST_NAMED).map((line) => `  ${line}`);
  throw first.with({ message: ['The settings forbid this; nothing was sent:', ...lines].join('\n') });
}

/** The part of the service that says who is an account admin. */
export type LockoutUsers = Pick<Api['users'], 'self' | 'listAll' | 'read'>;

/** The rows of a plan that reduce users, judged together. */
export type LockoutRule = Awaited<ReturnType<typeof openLockoutRule>>;

/**
 * Judges the rows of a plan that reduce users. Reads one list and users/me, or nothing if there are no such rows.
 *
 * A user who becomes an account admin counts if that row precedes those that rely on it: it is sent before them, and they
 * check again.
 *
 * @param allowed full e-mail addresses of users who may be locked out.
 * @param again the command line that allows it for an address.
 * @throws {CliError} as the service refused; `incomplete_list`.
 */
export async function openLockoutRule(
  items: readonly Item[],
  users: LockoutUsers,
  allowed: readonly string[],
  again: (address: string) => string,
) {
  const targets = new Map(items.filter(reduces).map((item) => [item, personIn(item)]));
  const all = [...targets.values()];
  const isJudged = all.length > 1 || all.some((person) => !isAllowed(person, allowed));
  const planned = isJudged ? await readAdmins(users) : undefined;
  const judgement: Judgement =
    planned === undefined ? { verdict: 'safe' } : judgeLockout(all, withPromoted(planned, items), allowed);
  const isHit = new Set(judgement.verdict === 'safe' ? [] : judgement.hit);
  const own = planned?.self;
  return {
    judgement,
    /** Whether a row reduces the user of the token: the service may refuse every request after it. */
    reducesSelf: (item: Item): boolean => own !== undefined && isSame(targets.get(item) ?? {}, own),
    /** The rows that the judgement is about. */
    hit: [...targets].map(([item, person]) => ({ item, person })).filter(({ person }) => isHit.has(person)),
    /**
     * Checks again right before a row is sent; rows that reduce no user cost nothing. All rows of the plan count as sent, so
     * that rows sent at the same time cannot each rely on the other's user.
     *
     * @throws {CliError} `lockout`, exit 11, if what the plan relied on has changed since; as the service refused.
     */
    async recheck(item: Item): Promise<void> {
      const person = targets.get(item);
      if (person === undefined || isAllowed(person, allowed)) return;
      if (!mayBeAdmin(await users.read(person.subjectId))) return;
      const known = planned === undefined ? users : { ...users, self: async () => own };
      const now = judgeLockout(all, await readAdmins(known), allowed);
      if (now.verdict === 'safe' || now.verdict === judgement.verdict || !now.hit.includes(person)) return;
      throw lockoutError(now, again);
    },
  };
}

/**
 * Refuses rows that together lock people out.
 *
 * @param allowed full e-mail addresses of users who may be locked out.
 * @throws {CliError} `lockout`, exit 11, listing the rows; nothing was sent.
 */
export async function refuseLockout(
  items: readonly Item[],
  allowed: readonly string[],
  session: Session,
): Promise<LockoutRule> {
  const lifted = (addresses: string) => again(session, '--allow-lockout', addresses);
  const rule = await openLockoutRule(items, session.api.users, allowed, lifted);
  if (rule.judgement.verdict === 'safe') return rule;
  const error = lockoutError(rule.judgement, lifted);
  if (items.length === 1) throw error;
  throw error.with({
    details: rule.hit.map(({ item }) => ({ field: labelOf(item), reason: 'would lose access' })),
  });
}

function personIn({ id = '', record = {} }: Item): UserReference {
  return { subjectId: id, email: emailOf(record) };
}

function mayBeAdmin({ enabled, [adminFlag]: isAdmin }: ServiceRecord): boolean {
  return enabled !== false && isAdmin === true;
}

function withPromoted(admins: Admins, items: readonly Item[]): Admins {
  const first = items.findIndex((item) => reduces(item) && mayBeAdmin(item.record ?? {}));
  const promoted = items
    .slice(0, Math.max(first, 0))
    .filter((item) => item.kind === 'user' && makesEnabledAdmin(item));
  return { ...admins, enabled: [...admins.enabled, ...promoted.map(personIn)] };
}

/** Whether a change makes an enabled account admin. */
function makesEnabledAdmin({ steps, record = {} }: Item): boolean {
  const after = (field: string) => {
    const step = steps.findLast(({ path }) => path === `/${field}`);
    return step !== undefined && 'value' in step ? step.value : record[field];
  };
  return after('enabled') === true && after(adminFlag) === true;
}
