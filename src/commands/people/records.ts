import type { Row } from '../../change/consent.ts';
import { readListing } from '../../change/listing.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { ambiguousAddress, emailOf, subjectIdOf } from '../../service/find-user.ts';
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
  const whole = new Map<string, Promise<ServiceRecord>>();
  const wholeUser = (id: string, listed: ServiceRecord) => {
    const isWhole = ['enabled', 'is_account_admin', 'properties'].every(
      (field) => listed[field] !== undefined,
    );
    const found = whole.get(id) ?? (isWhole ? Promise.resolve(listed) : api.users.read(id));
    whole.set(id, found);
    return found;
  };
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
      const name = emailOf(shown) ?? reference;
      if (listed === undefined) return { name, user: undefined, invitations: invited };
      const id = subjectIdOf(listed);
      return { name, user: { id, record: await wholeUser(id, listed) }, invitations: invited };
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
