import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { reductionBy } from '../model/access-change.ts';
import type { ServiceRecord } from '../model/records.ts';
import { emailOf, type UserReference } from '../service/find-user.ts';
import {
  type Admins,
  isSame,
  type Judgement,
  judgeLockout,
  lockoutError,
  readAdmins,
} from '../service/lockout.ts';
import type { Api } from '../service/service.ts';
import type { Item } from './item.ts';

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
  const planned = all.length === 0 ? undefined : await readAdmins(all, users);
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
      if (person === undefined || !mayBeAdmin(await users.read(person.subjectId))) return;
      const known = planned === undefined ? users : { ...users, self: async () => own };
      const now = judgeLockout(people(), await readAdmins(people(), known), allowed);
      if (now.verdict === 'safe' || now.verdict === judgement.verdict || !now.hit.includes(person)) return;
      throw lockoutError(now, again) ?? undetermined(person);
    },
  };
}

/** Whether an item disables a user, or takes full access away. */
export function reduces({ kind, steps }: Item): boolean {
  return kind === 'user' && reductionBy(steps) !== undefined;
}

function personIn({ id = '', record = {} }: Item): UserReference {
  return { subjectId: id, email: emailOf(record) };
}

function mayBeAdmin({ enabled, is_account_admin: isAdmin }: ServiceRecord): boolean {
  return enabled !== false && isAdmin !== false;
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

function undetermined({ subjectId, email = subjectId }: UserReference): CliError {
  return new CliError(
    'lockout',
    `Cannot determine any more whether an enabled account admin would be left without ${email}. Nothing was sent.`,
    { exitCode: ExitCode.blocked },
  );
}
