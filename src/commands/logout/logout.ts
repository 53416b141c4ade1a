import { credentialNames } from '../../config/credentials.ts';
import { SANDBOX } from '../../config/profile-name.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { CliError, Concluded, usageError } from '../../errors.ts';
import { onePage } from '../../records.ts';
import { shellLine } from '../../render/shell.ts';
import { type LocalSession, withLocalChange } from '../../session.ts';
import { exportedCredential } from '../auth/exported.ts';
import { currentProfile } from '../current-profile.ts';
import { type Ended, endLogin } from './end-login.ts';
import { logoutShape } from './shape.ts';

/**
 * `logout`: end what was logged in, at the server where it can (RFC 7009), and here in any case.
 *
 * Keyring entry, credential and what completions remember go; the settings of the profile stay. Nobody logged in is a
 * success as well. A keyring that cannot be used ends it with exit 4, and everything stays.
 */
export function logoutCommand(context: Context) {
  return new DescribedCommand('logout', {
    effect: 'destroys',
    exits: ['notLoggedIn', 'unavailable'],
    examples: ['logout', 'logout --profile chain', 'logout --all'],
  })
    .summary('end a login, at the server and here')
    .description(
      'Revoke the tokens of the profile in effect where the server can, and forget its credential. Its settings stay.',
    )
    .option('--all', 'every profile that has a credential')
    .action(withLocalChange(context, logout));
}

async function logout(session: LocalSession, { all }: { readonly all?: true }): Promise<void> {
  await (all === true ? endAll(session) : endOne(session));
}

async function endOne(session: LocalSession): Promise<void> {
  const { out } = session;
  const profile = currentProfile(session);
  if (profile === SANDBOX) throw sandboxed();
  const exported = exportedCredential(session);
  const ended =
    profile === undefined
      ? { profile: null, logged_out: false, revoked: false, left: undefined }
      : await endLogin(profile, session).catch(again(['innctl', 'logout', '--profile', profile]));
  if (!ended.logged_out && exported !== undefined) throw notOurs(exported);
  const { left, ...facts } = ended;
  if (left !== undefined) await out.note(left);
  await out.done(sentenceFor(ended), facts);
  if (exported !== undefined) await out.warn(`${exported} is still set, and in force.`);
}

/** One that fails must not keep the others logged in. */
async function endAll(session: LocalSession): Promise<void> {
  const { out, globals, folders } = session;
  if (globals.profile !== undefined || globals.sandbox === true)
    throw usageError('--all means every profile: it does not go with another choice of one.');
  const results: (Ended & { readonly problem?: string; readonly request_id?: string | undefined })[] = [];
  let failure: CliError | undefined;
  for (const profile of credentialNames(folders.config)) {
    const ended = await endLogin(profile, session).catch((error) => {
      if (!(error instanceof CliError)) throw error;
      failure = error;
      const { message: problem, requestId: request_id } = error;
      return { profile, logged_out: false, revoked: false, left: undefined, problem, request_id };
    });
    results.push(ended);
  }
  for (const { profile, left } of results) if (left !== undefined) await out.note(`${profile}: ${left}`);
  const items = results.map(({ left: _, ...facts }) => facts);
  await out.records(logoutShape, onePage(items));
  const exported = exportedCredential(session);
  if (exported !== undefined) await out.warn(`${exported} is still set, and in force.`);
  if (failure !== undefined) throw new Concluded(failure.exitCode);
}

function sentenceFor({ profile, logged_out, revoked }: Omit<Ended, 'profile'> & { profile: string | null }) {
  if (profile === null) return 'Nobody was logged in.';
  if (!logged_out) return `Nobody was logged in with profile ${profile}.`;
  return `Logged out of profile ${profile}${revoked ? '' : '; nothing was revoked at the server'}.`;
}

function sandboxed(): CliError {
  return usageError(
    'The sandbox knows no logins: nobody is logged in there, and nobody can be logged out.',
    'Name a profile of yours: innctl logout --profile <name>',
  );
}

function notOurs(variable: string): CliError {
  return usageError(
    `${variable} is a credential of the environment: innctl did not store it and cannot end it.`,
    `unset ${variable}`,
  );
}

/** @returns for `catch`: a keyring that failed now may be there later. */
function again(line: readonly string[]) {
  return (error: unknown): never => {
    if (!(error instanceof CliError) || error.code !== 'keyring_unavailable') throw error;
    throw error.withHint(`Unlock it, and say it again: ${shellLine(line)}`);
  };
}
