import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Session } from '../cli/session.ts';
import type { ServiceRecord } from '../model/records.ts';
import { emailOf, type UserReference } from '../service/find-user.ts';
import {
  type Admins,
  isAllowed,
  isSame,
  type Judgement,
  judgeLockout,
  lockoutError,
  readAdmins,
} from '../service/lockout.ts';
import type { Api } from '../service/service.ts';
import { labelOf } from './end.ts';
import { type Item, reduces } from './item.ts';
import { again } from './lines.ts';

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
  const people = () => [...targets.values()];
  const all = people();
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
      // Of somebody who accepted an invitation the plan does not know.
      if (item.replaces !== undefined) targets.set(item, personIn(item));
      const person = targets.get(item);
      if (person === undefined || isAllowed(person, allowed)) return;
      if (!mayBeAdmin(await users.read(person.subjectId))) return;
      const known = planned === undefined ? users : { ...users, self: async () => own };
      const now = judgeLockout(people(), await readAdmins(known), allowed);
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

/** Warns of a plan that would lock people out: apply refuses it. */
export async function warnOfLockout(items: readonly Item[], { api, out }: Session): Promise<void> {
  const rule = await openLockoutRule(items, api.users, [], (address) => address).catch(unlessRefused);
  if (rule instanceof CliError) return out.warn(`Who would lose access is not checked: ${rule.message}`);
  const { judgement } = rule;
  if (judgement.verdict === 'safe') return;
  const who = judgement.hit.map(({ subjectId, email = subjectId }) => email).join(', ');
  const does =
    judgement.verdict === 'self' ? 'takes away your own access' : 'leaves no enabled account admin';
  await out.warn(`This plan ${does} (${who}): innctl apply refuses it.`);
}

/** If this cannot be read, the plan is still shown; apply checks again. */
function unlessRefused(cause: unknown): CliError {
  if (cause instanceof CliError && cause.exitCode !== ExitCode.notLoggedIn) return cause;
  throw cause;
}

function personIn({ id = '', record = {} }: Item): UserReference {
  return { subjectId: id, email: emailOf(record) };
}

function mayBeAdmin({ enabled, is_account_admin: isAdmin }: ServiceRecord): boolean {
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
  return after('enabled') === true && after('is_account_admin') === true;
}
