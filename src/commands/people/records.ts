import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { sameAddress } from '../../people/facts.ts';
import { ambiguousAddress, emailOf, subjectIdOf } from '../../service/find-user.ts';
import { readAll } from '../../service/paging.ts';
import type { PersonRows } from '../evidence/around.ts';
import type { NamedPerson } from '../several/journalled.ts';
import type { Row } from '../several/run.ts';
import { isEmail } from '../users/reference.ts';

/** A user, with all of the access. */
export interface User {
  readonly id: string;
  readonly record: ServiceRecord;
}

/** What the account has of one person. */
export interface Person {
  /** The address as the service shows it, or the reference. */
  readonly name: string;
  readonly user: User | undefined;
  readonly invitations: readonly ServiceRecord[];
}

/**
 * Reads all users and invitations, to find people among them.
 *
 * @throws {CliError} `incomplete_list` if the service counts more than it lists.
 */
export async function openPeople({ api }: Session) {
  const [users, invitations] = await Promise.all([
    readAll(api.users.listAll(), 'users', 'read all users'),
    readAll(api.invitations.listAll(), 'invitations', 'read all invitations'),
  ]);
  const whole = new Map<ServiceRecord, Promise<User>>();
  const wholeUser = (listed: ServiceRecord) => {
    const found = whole.get(listed) ?? userIn(listed, api);
    whole.set(listed, found);
    return found;
  };
  const isHidden = [...users, ...invitations].some((record) => emailOf(record) === undefined);
  return {
    /** Why somebody who is not found may still be there, as a clause. */
    doubt: isHidden ? 'the service lists people without their e-mail address' : undefined,
    /**
     * The person with an e-mail address or a subject id; addresses are compared without case.
     *
     * @throws {CliError} exit 3 if there is no user and no invitation; exit 12 if several users have the address.
     */
    async find(reference: string): Promise<Person> {
      const isAddress = isEmail(reference);
      const alike = isAddress
        ? users.filter((user) => isAddressed(user, reference))
        : users.filter(({ subject_id: id }) => id === reference);
      const ids = new Set(alike.map(({ subject_id: id }) => id));
      if (ids.size > 1) throw ambiguousAddress(reference, alike);
      const [listed] = alike;
      const email = (listed && emailOf(listed)) ?? (isAddress ? reference : undefined);
      const invited = invitations.filter(
        (invitation) => email !== undefined && isAddressed(invitation, email),
      );
      const [invitation] = invited;
      const name = (listed ?? invitation) && emailOf(listed ?? invitation ?? {});
      if (listed === undefined && invitation === undefined) {
        const sentence = `There is no user and no invitation with the ${isAddress ? 'e-mail address' : 'subject id'} ${reference}.`;
        throw new CliError('not_found', sentence, { exitCode: ExitCode.notFound });
      }
      return { name: name ?? reference, user: listed && (await wholeUser(listed)), invitations: invited };
    },
  };
}

/** The user of a listed record, read alone if the list does not show the access. */
async function userIn(listed: ServiceRecord, { users }: Session['api']): Promise<User> {
  const id = subjectIdOf(listed);
  const isWhole =
    typeof listed['enabled'] === 'boolean' &&
    typeof listed['is_account_admin'] === 'boolean' &&
    shownProperties(listed) !== undefined;
  return { id, record: isWhole ? listed : await users.read(id) };
}

function isAddressed(record: ServiceRecord, email: string): boolean {
  return sameAddress(emailOf(record) ?? '', email);
}

/** Why a row of a file cannot be carried out, as sentences. Other errors stay. */
export function rowProblem(error: unknown): string {
  const isOfRow = error instanceof CliError && OF_ROW.some((code) => code === error.exitCode);
  if (!isOfRow) throw error;
  const more = error.exitCode === ExitCode.ambiguous ? error.details.map(({ reason }) => reason) : [];
  return [error.message, ...more].join(' ');
}

const OF_ROW = [ExitCode.notFound, ExitCode.ambiguous, ExitCode.refused];

/** Somebody whom a job named, and the rows about them, for the evidence. */
export function personRows(
  { reference, entry, person }: NamedPerson & { readonly person?: Person | undefined },
  rows: readonly Row[],
): PersonRows {
  const { reason, ticket } = (entry?.fields ?? {}) as Partial<Record<string, string>>;
  const { user, invitations = [], name = reference } = person ?? {};
  const email = (user && emailOf(user.record)) ?? (isEmail(name) ? name : '');
  const items = rows.map(({ item }) => item);
  return { email, subjectId: user?.id, user: user?.record, invitations, items, reason, ticket };
}
