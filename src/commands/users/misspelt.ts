import type { Api } from '../../api/api.ts';
import { nearest } from '../../checks/nearest.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { listedProperties, type Misspelt, MOST_LOOKED_THROUGH, namesIn } from '../meant.ts';
import { serviceLine } from '../settle.ts';

/** Property ids that may be misspelt; the properties are listed once, when the first is doubted. */
export function misspeltProperties(ids: readonly string[], api: Api): readonly Misspelt[] {
  const properties = listedProperties(api);
  return ids.map((word) => ({ word, ...properties }));
}

/** A subject id that may be misspelt, or be what stands before the @ of an e-mail address. */
export function misspeltUser(word: string, { users }: Api): Misspelt {
  const extent = { limit: MOST_LOOKED_THROUGH };
  return { word, listed: () => namesIn(users.list({}, extent), 'email', 'subject_id'), pick: pickUser };
}

function pickUser(word: string, names: readonly string[]): string | undefined {
  const [emails, ids] = [true, false].map((isEmail) =>
    names.filter((name) => name.includes('@') === isEmail),
  );
  const start = `${word.toLowerCase()}@`;
  return emails?.find((email) => email.toLowerCase().startsWith(start)) ?? nearest(word, ids ?? []);
}

/**
 * Says of an address that no user has whether it is invited: such a person is no user yet.
 *
 * @returns for `catch`; every error goes on.
 */
export function orInvited(email: string, { invitations }: Api, globals: GlobalOptions) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof CliError) || error.exitCode !== ExitCode.notFound) throw error;
    const invited = await namesIn(invitations.list({}, { limit: MOST_LOOKED_THROUGH }), 'email');
    const found = invited.find((each) => each.toLowerCase() === email.toLowerCase());
    if (found === undefined) throw error;
    const line = (...words: readonly string[]) => serviceLine(globals, 'invitations', ...words);
    throw new CliError('not_found', `${found} has an invitation but is no user yet.`, {
      exitCode: ExitCode.notFound,
      hint: `To see it: ${line('list', '--all')}\nTo withdraw it: ${line('delete', found)}`,
      cause: error,
    });
  };
}

/**
 * Adds to a user who is not there, where nothing near is listed, the command that lists all.
 *
 * @returns for `catch`; every error goes on.
 */
export function orListed(globals: GlobalOptions) {
  return (error: unknown): never => {
    const isHintless = error instanceof CliError && error.hint === undefined;
    if (!isHintless || error.exitCode !== ExitCode.notFound) throw error;
    throw error.withHint(serviceLine(globals, 'users', 'list', '--all'));
  };
}
