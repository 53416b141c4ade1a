import type { Dialect } from '../../api/dialects/dialect.ts';
import { SeveralRecords } from '../../files/several-records.ts';
import type { Session } from '../../session.ts';
import { type FileFields, type Known, readFields } from '../file-fields.ts';

export type InvitationField = 'email' | 'properties' | 'is_account_admin' | 'role' | 'roles';

const ofContract: readonly InvitationField[] = ['email', 'properties', 'is_account_admin', 'role'];

/** What was written under `extra` before innctl knew of it. */
const further: ReadonlySet<string> = new Set(['roles'] satisfies InvitationField[]);

const fieldsFor = ({ goesBeyond }: Pick<Dialect, 'goesBeyond'>): readonly InvitationField[] =>
  goesBeyond ? [...ofContract, 'roles'] : ofContract;

/** Files that are made for several records, whatever they hold. */
const forSeveral = /\.(csv|tsv|ndjson|jsonl)$/i;

/**
 * Reads the file of one invitation: YAML, or JSON by its ending.
 *
 * @param path `-` is stdin.
 * @param allowUnknown sends fields that the contract does not name, also where they do not stand under `extra`.
 * @throws {CliError} exit 2 when it cannot be read, is not valid, or is for several people.
 */
export async function readInvitationFile(
  path: string,
  allowUnknown: boolean,
  { api, context }: Pick<Session, 'api' | 'context'>,
): Promise<FileFields> {
  if (forSeveral.test(path)) throw new SeveralRecords(`${path} is a file for several people.`);
  const invitation: Known = {
    kind: 'invitation',
    noun: 'an invitation',
    fields: fieldsFor(api.dialect),
    further,
    isSpelt: api.dialect.goesBeyond,
  };
  const file = await readFields(path, invitation, allowUnknown, context);
  const email = file.fields['email'];
  if (!Array.isArray(email) || email.length < 2) return file;
  throw new SeveralRecords(
    `${file.name}: email holds ${email.length} addresses; one is wanted, and several people are several entries.`,
  );
}
