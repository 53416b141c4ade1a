import { ownerOf, refuseOthers } from '../../auth/account.ts';
import { claimsOf } from '../../auth/identity.ts';
import type { Revoked } from '../../auth/token-request.ts';
import { openVault, type StoredCredential } from '../../auth/vault.ts';
import { mayReceive, originsOf } from '../../config/binding.ts';
import { credentialNames } from '../../config/credentials.ts';
import type { Settings } from '../../config/resolve.ts';
import { SANDBOX } from '../../config/urls.ts';
import { CliError, Concluded, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { localCommand } from '../../session/command-line.ts';
import { type LocalSession, settingsWith, withLocalChange } from '../../session/session.ts';
import { currentProfile, exportedCredential } from '../auth/current.ts';
import { forgetProfile } from '../remember.ts';

/**
 * `logout`: revoke tokens at the server if possible (RFC 7009), and delete stored credentials in any case.
 *
 * Deletes keyring entry, credential and completion caches; keeps the settings of the profile. Not being logged in is a
 * success. An unusable keyring is exit 4, and nothing is deleted.
 */
export function logoutCommand(context: Context) {
  return localCommand('logout', 'destroys', ['logout', 'logout --profile chain', 'logout --all'])
    .exitsWith('notLoggedIn', 'unavailable')
    .summary('log out and revoke tokens')
    .description(
      'Revoke the tokens of the current profile if the server supports it, and delete the stored credentials. Its settings are kept.',
    )
    .option('--all', 'log out of every profile')
    .action(withLocalChange(context, logout));
}

async function logout(session: LocalSession, { all }: { readonly all?: true }): Promise<void> {
  const exported = exportedCredential(session);
  const failure = all === true ? await endAll(session) : await endOne(session, exported);
  if (exported !== undefined) await session.out.warn(`${exported} is still set and in effect.`);
  if (failure !== undefined) throw new Concluded(failure.exitCode);
}

async function endOne(session: LocalSession, exported: string | undefined): Promise<undefined> {
  const profile = currentProfile(session);
  if (profile === SANDBOX)
    throw usageError(
      'The sandbox has no logins.',
      'Use one of your profiles: innctl logout --profile <name>',
    );
  const { left, ...facts } =
    profile === undefined ? { profile: null, ...notLoggedIn } : await endLogin(profile, session);
  if (!facts.logged_out && exported !== undefined)
    throw usageError(
      `${exported} is a credential of the environment: innctl did not store it and cannot end it.`,
      `unset ${exported}`,
    );
  if (left !== undefined) await session.out.note(left);
  await session.out.done(sentenceFor(facts.profile, facts), facts);
}

function sentenceFor(profile: string | null, { logged_out, revoked }: Pick<Ended, 'logged_out' | 'revoked'>) {
  if (profile === null) return 'Not logged in.';
  if (!logged_out) return `Profile ${profile} was not logged in.`;
  return `Logged out of profile ${profile}${revoked ? '' : '; nothing was revoked at the server'}.`;
}

/** @returns the last failure: it must not keep other profiles logged in. */
async function endAll(session: LocalSession): Promise<CliError | undefined> {
  const { out, globals, folders } = session;
  if (globals.profile !== undefined || globals.sandbox === true)
    throw usageError('--all selects every profile; it cannot be combined with another selection.');
  const results: (Ended & { readonly problem?: string; readonly request_id?: string | undefined })[] = [];
  let failure: CliError | undefined;
  for (const profile of credentialNames(folders.config)) {
    try {
      results.push(await endLogin(profile, session));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      failure = error;
      results.push({ profile, ...notLoggedIn, problem: error.message, request_id: error.requestId });
    }
  }
  for (const { profile, left } of results) if (left !== undefined) await out.note(`${profile}: ${left}`);
  await out.records(logoutShape, onePage(results.map(({ left: _, ...facts }) => facts)));
  return failure;
}

/** How the profiles that were logged out are listed. */
const logoutShape: Shape = {
  noun: ['login', 'logins'],
  columns: columnsOf('profile logged_out revoked problem'),
  others: ['request_id'],
  ofWrites: true,
};

/**
 * The result of logging out of a profile: whether it was logged in, whether the server revoked its tokens, and why not, as a sentence.
 */
type Ended = Awaited<ReturnType<typeof endLogin>>;

const notLoggedIn = { logged_out: false, revoked: false, left: undefined };

/** Time limit for the server, without --timeout. */
const REVOKE_SECONDS = 15;

/**
 * Logs out of a profile: asks the server to revoke its tokens, then deletes everything stored of them regardless of the
 * response. Keeps the settings of the profile.
 *
 * @throws {CliError} exit 4 if the keyring cannot be used, exit 11 if another account is expected; then nothing is
 * deleted.
 */
async function endLogin(profile: string, session: LocalSession) {
  const { folders, context } = session;
  const vault = openVault(folders.config, profile, context);
  if (vault.facts() === undefined) return { profile, ...notLoggedIn };
  // The profile of a credential may have been removed.
  const profiles = { [profile]: {}, ...session.config.profiles };
  const settings = settingsWith(session, { ...session.config, profiles }, profile);
  // Under the lock, so that the tokens of a refresh in progress are revoked too.
  return vault.locked(context.signal, async () => {
    const kept = { facts: vault.facts() ?? { origins: [] }, secrets: await vault.secrets() };
    const { login } = kept.facts;
    const client = settings.auth?.value === 'client-credentials' ? settings.clientId?.value : undefined;
    const owner = ownerOf(claimsOf(accessIn(kept) ?? ''), login?.who ?? {}, client);
    refuseOthers(settings.expectAccount, owner, `profile ${profile}`);
    const { revoked, problem } = await askServer(profile, kept, settings, session).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.code === 'unchecked_tls') throw error;
      return unasked(`Nothing could be revoked at the server: ${error.message}`);
    });
    await vault.forget(context.signal);
    forgetProfile(folders, profile);
    return { profile, logged_out: true, revoked, left: problem };
  });
}

async function askServer(
  profile: string,
  { facts, secrets }: StoredCredential,
  settings: Settings,
  session: LocalSession,
): Promise<Revoked> {
  const { login, origins } = facts;
  const url = login?.revocation_url;
  const clientId = login?.client_id ?? settings.clientId?.value;
  if (url === undefined || clientId === undefined) return unasked(undefined);
  // Secrets are sent only to the origins they were given for, even to revoke them.
  const servers = [...origins, login?.token_url].filter((each) => each !== undefined && URL.canParse(each));
  if (!URL.canParse(url) || !mayReceive(url, originsOf(servers)))
    return unasked(`Nothing was revoked: ${url} is at no server that the credential was given for.`);
  const { openOAuth } = await import('../../session/connection.ts');
  const { http, close } = await openOAuth(session, settings);
  try {
    const { revoke } = await import('../../auth/token-request.ts');
    const source = `profile ${profile}`;
    const limitMs = (settings.timeout?.value ?? REVOKE_SECONDS) * 1000;
    const client = { id: clientId, secret: secrets.client_secret };
    const tokens = { refresh: secrets.refresh_token, access: accessIn({ facts, secrets }) };
    const revocation = { url, client, clientAuth: login?.client_auth, ...tokens, source, http };
    return await revoke(revocation, session.context.signal, limitMs);
  } finally {
    await close();
  }
}

function unasked(problem: string | undefined): Revoked {
  return { revoked: false, problem };
}

function accessIn({ facts, secrets }: StoredCredential): string | undefined {
  return secrets.token ?? facts.cached_token?.access_token;
}
