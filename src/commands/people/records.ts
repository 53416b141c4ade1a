import type { Row } from '../../change/consent.ts';
import { once, readListing } from '../../change/listing.ts';
import { adminFlag } from '../../model/access.ts';
import { CliError, ExitCode } from '../../model/errors.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { ambiguousAddress, emailOf, subjectIdOf } from '../../service/users.ts';
import type { Session } from '../../session/session.ts';
import type { PersonRows } from '../evidence/around.ts';
import type { NamedPerson } from '../job.ts';
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
    readListing('user', api.users.listAll()),
    readListing('invitation', api.invitations.listAll()),
  ]);
  const readAlone = once(api.users.read);
  const isWhole = (user: ServiceRecord) =>
    ['enabled', adminFlag, 'properties'].every((field) => user[field] !== undefined);
  return {
    /**
     * The person with an e-mail address or a subject id; addresses are compared without case.
     *
     * @throws {CliError} exit 3 if there is no user and no invitation; exit 12 if several users have the address.
     */
    async find(reference: string): Promise<Person> {
      const isAddress = isEmail(reference);
      const alike = isAddress ? users.withName(reference) : [users.withId(reference) ?? []].flat();
      if (alike.length > 1) throw ambiguousAddress(reference, alike);
      const [listed] = alike;
      const email = listed === undefined ? reference : emailOf(listed);
      const invited = email === undefined ? [] : invitations.withName(email);
      const shown = listed ?? invited[0];
      if (shown === undefined) {
        const sentence = `There is no user and no invitation with the ${isAddress ? 'e-mail address' : 'subject id'} ${reference}.`;
        throw new CliError('not_found', sentence, { exitCode: ExitCode.notFound });
      }
      const id = listed && subjectIdOf(listed);
      const user = id && { id, record: isWhole(shown) ? shown : await readAlone(id) };
      return { name: emailOf(shown) ?? reference, user: user || undefined, invitations: invited };
    },
  };
}

/** Why a row of a file cannot be carried out, as sentences. Other errors stay. */
export function rowProblem(error: unknown): string {
  if (!(error instanceof CliError) || !OF_ROW.includes(error.exitCode)) throw error;
  const more = error.exitCode === ExitCode.ambiguous ? error.details.map(({ reason }) => reason) : [];
  return [error.message, ...more].join(' ');
}

const OF_ROW: readonly ExitCode[] = [ExitCode.notFound, ExitCode.ambiguous, ExitCode.refused];

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
