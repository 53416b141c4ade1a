import type { Granted } from '../../auth/granted.ts';
import type { OAuthHttp } from '../../auth/oauth-http.ts';
import type { Provider } from '../../auth/provider.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession } from '../../cli/session.ts';
import { openOAuth } from '../../cli/way.ts';
import { originsOf } from '../../config/binding.ts';
import { profileGuards, type Settings } from '../../config/resolve.ts';
import { sameCommand } from '../../out/text.ts';
import { settingsOf, storageFor, storeProfile } from '../profiles/store.ts';
import { forgetProfile, rememberProfiles } from '../remember.ts';
import { credentialOf, isReplaced, type LoginSetup, profileOf } from './compose.ts';
import { type Given, gatherLogin, type LoginFlags } from './given.ts';
import { clientOf, obtain, scopeFor, serverFor } from './obtain.ts';
import { report, verify } from './report.ts';

/** Time limit for revoking the tokens of a failed login. */
const REVOKE_MS = 5_000;

/** Logs in and stores the profile. A failure changes nothing. */
export async function logIn(session: LocalSession, flags: LoginFlags): Promise<void> {
  const given = await gatherLogin(flags, session);
  // Reports an invalid guard before the login.
  profileGuards(session.config, given.name);
  if (isReplaced(given))
    await session.confirm(`Replace profile ${given.name}, which is for another service?`);
  const account = await storageFor(given.name, flags, session);
  const settings = settingsOf(profileOf({ given, provider: undefined, scope: undefined }), session);
  await inTime(settings, session, async (signal) => {
    const timed = { ...session, context: { ...session.context, signal } };
    const { http, close } = await openOAuth(timed, settings);
    try {
      const provider = given.method === 'token' ? undefined : await serverFor(given, http, signal);
      checkStoredSecret(given, provider, session.context.argv);
      const setup: LoginSetup = { given, account, provider, scope: provider && scopeFor(given, provider) };
      await obtain(setup, http, timed, (granted) => keep(setup, granted, http, timed));
    } finally {
      await close();
    }
  });
  forgetProfile(session.folders, given.name);
  rememberProfiles(session.folders);
}

/** Applies only --timeout: the timeout setting is for requests and too short for a person. */
async function inTime(
  { timeoutSeconds }: Settings,
  { context: { clock, signal }, globals }: LocalSession,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (timeoutSeconds === undefined || globals.timeout === undefined) return work(signal);
  const [over, done] = [new AbortController(), new AbortController()];
  const seconds = timeoutSeconds.value;
  const error = new CliError('timeout', `The login was not finished within ${seconds} s.`, {
    exitCode: ExitCode.unavailable,
    hint: 'Give more time with --timeout.',
  });
  clock.sleep(seconds * 1000, AbortSignal.any([signal, done.signal])).then(
    () => over.abort(error),
    () => {},
  );
  try {
    await work(AbortSignal.any([signal, over.signal]));
  } finally {
    done.abort();
  }
}

/** A stored secret is sent only where it was sent before, even if the server announces other endpoints. */
function checkStoredSecret(
  { name, facts, method, usesStoredSecret }: Given,
  provider: Provider | undefined,
  argv: readonly string[],
): void {
  const { origins = [], login } = facts ?? {};
  if (!usesStoredSecret || provider === undefined) return;
  const known = [...origins, ...originsOf([login?.device_authorization_url])];
  const asked = [provider.revocationUrl, method === 'device' ? provider.deviceAuthorizationUrl : undefined];
  const otherUrl = asked.find((url) => url !== undefined && !known.includes(new URL(url).origin));
  const isOther = provider.tokenUrl !== login?.token_url;
  if (!isOther && otherUrl === undefined) return;
  const other = isOther ? `tokens come from ${provider.tokenUrl}` : `it would go to ${otherUrl}`;
  throw new CliError(
    'credential_bound',
    `The client secret of profile ${name} was given for ${login?.token_url}, but ${other}.`,
    {
      exitCode: ExitCode.notLoggedIn,
      hint: `Give it for the new address: ${sameCommand(argv, '--client-secret-file', '-')}`,
    },
  );
}

async function keep(
  setup: LoginSetup,
  granted: Granted,
  http: OAuthHttp,
  session: LocalSession,
): Promise<void> {
  const { redactor } = session.context;
  for (const secret of [granted.accessToken, granted.refreshToken])
    if (secret !== undefined) redactor.add(secret);
  const outcome = await verifyAndStore(setup, granted, session).catch(async (error: unknown) => {
    await revokeUnstored(setup, granted, http);
    throw error;
  });
  await report(outcome, session);
}

async function verifyAndStore(setup: LoginSetup, granted: Granted, session: LocalSession) {
  const profile = profileOf(setup);
  const { name } = profile;
  const verified = await verify(granted, settingsOf(profile, session), session);
  const credential = credentialOf(setup, granted, verified.who, session);
  const active = await storeProfile(profile, credential, session).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    throw error.with({ message: `${error.message} The login was not stored; profile ${name} is unchanged.` });
  });
  return { setup, granted, verified, active };
}

/** Revokes tokens that will not be stored, except a given token. */
async function revokeUnstored(
  { given, provider }: LoginSetup,
  granted: Granted,
  http: OAuthHttp,
): Promise<void> {
  if (provider?.revocationUrl === undefined) return;
  const { revoke } = await import('../../auth/revoke.ts');
  const { id, secret } = clientOf(given);
  const { accessToken: token, refreshToken: refresh_token, clientAuth } = granted;
  const secrets = { token, refresh_token, client_secret: secret };
  const source = `profile ${given.name}`;
  const revocation = { url: provider.revocationUrl, clientId: id, clientAuth, secrets, source, http };
  // An interruption ends the login, but not the revocation.
  await revoke(revocation, new AbortController().signal, REVOKE_MS);
}
