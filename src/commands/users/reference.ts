import type { Api } from '../../api/api.ts';
import { idProblem } from '../../api/path.ts';
import type { UserReference } from '../../api/users.ts';
import { quote, textProblem } from '../../checks/text.ts';
import { CliError, type Detail } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { shellLine } from '../../render/shell.ts';
import { serviceFlags } from '../settle.ts';

/** The argument of every command about one user. */
export const userArgument = '<subject-id|e-mail>';

const LONGEST_EMAIL = 254;

/** What is wrong with a subject id or an e-mail address; nothing where it can be looked for. */
export function referenceProblems(reference: string): readonly Detail[] {
  const isEmail = reference.includes('@');
  const reason = isEmail ? addressProblem(reference) : idProblem(reference);
  return reason === undefined ? [] : [{ field: isEmail ? 'email' : 'subject_id', reason }];
}

/**
 * The user that somebody named: an e-mail address is looked for in the list, a subject id taken as it is.
 *
 * @throws {CliError} exit 3 when nobody has the address, exit 12 when several do.
 */
export async function findUser(
  reference: string,
  { api, globals }: { readonly api: Api; readonly globals: GlobalOptions },
): Promise<UserReference> {
  if (!reference.includes('@')) return { subjectId: reference };
  return api.users.findByEmail(reference).catch((error: unknown) => {
    const isHintless = error instanceof CliError && error.hint === undefined;
    if (!isHintless || error.exitCode !== ExitCode.notFound) throw error;
    throw error.withHint(shellLine(['innctl', ...serviceFlags(globals), 'users', 'list', '--all']));
  });
}

/** Lenient: the service may hold an address that nobody would invite today. */
function addressProblem(email: string): string | undefined {
  const problem = textProblem(email, LONGEST_EMAIL);
  if (problem !== undefined) return problem;
  return /^\S+@\S+$/.test(email) ? undefined : `${quote(email)} is not an e-mail address`;
}
