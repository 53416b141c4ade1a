import { ownerOf, refuseOthers } from '../../auth/account.ts';
import { cacheKey } from '../../auth/client-credentials.ts';
import { bearerCredentials, renewAtOf } from '../../auth/credentials.ts';
import { accountIn, claimsOf, isName, momentText, namedIn, personOf, type Who } from '../../auth/identity.ts';
import type { Granted, OAuthHttp } from '../../auth/oauth-http.ts';
import { withTimeLimit } from '../../auth/time-limit.ts';
import { openConnection } from '../../cli/connection.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession } from '../../cli/session.ts';
import { openOAuth } from '../../cli/way.ts';
import { originsOf } from '../../config/binding.ts';
import type { Facts, Secrets } from '../../config/credentials.ts';
import type { Settings } from '../../config/resolve.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { credentialVariable } from '../auth/exported.ts';
import { valuesAt } from '../profiles/entries.ts';
import {
  confirmChange,
  hasService,
  type StoredCredential,
  type Storing,
  settingsOf,
  storageFor,
  storedNotes,
  storeProfile,
} from '../profiles/store.ts';
import { authOf, type Given, gatherLogin, type LoginFlags } from './given.ts';
import { clientOf, type LoginSetup, obtain, scopeFor, serverFor } from './obtain.ts';

/** Time limit for revoking the tokens of a failed login. */
const REVOKE_MS = 5_000;

/** Logs in and stores the profile. A failure changes nothing. */
export async function logIn(session: LocalSession, flags: LoginFlags): Promise<void> {
  const given = await gatherLogin(flags, session);
  const question = `Replace profile ${given.name}, which is for another service?`;
  await confirmChange(given.name, isReplaced(given) ? question : undefined, session);
  const account = await storageFor(given.name, flags, session);
  const settings = settingsOf(profileOf(given), session);
  await inTime(settings, session, async (signal) => {
    const timed = { ...session, context: { ...session.context, signal } };
    const { http, close } = await openOAuth(timed, settings);
    try {
      const provider = given.method === 'token' ? undefined : await serverFor(given, http, signal);
      const setup = { ...given, account, provider, scope: provider && scopeFor(given, provider) };
      await obtain(setup, http, timed, (granted) => keep(setup, granted, http, timed));
    } finally {
      await close();
    }
  });
}

/** Applies only --timeout: the timeout setting is for requests and too short for a person. */
async function inTime(
  { timeout }: Settings,
  { context: { clock, signal }, globals }: LocalSession,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (timeout === undefined || globals.timeout === undefined) return work(signal);
  const seconds = timeout.value;
  const error = new CliError('timeout', `The login was not finished within ${seconds} s.`, {
    exitCode: ExitCode.unavailable,
    hint: 'Give more time with --timeout.',
  });
  return withTimeLimit(seconds * 1000, error, { clock, signal }, work);
}

async function keep(
  setup: LoginSetup,
  granted: Granted,
  http: OAuthHttp,
  session: LocalSession,
): Promise<void> {
  const { verified, active } = await verifyAndStore(setup, granted, session).catch(async (error: unknown) => {
    await revokeUnstored(setup, granted, http);
    throw error;
  });
  await report(setup, granted, verified, active, session);
}

async function verifyAndStore(setup: LoginSetup, granted: Granted, session: LocalSession) {
  const storing = profileOf(setup);
  const verified = await verify(granted, settingsOf(storing, session), session);
  const credential = credentialOf(setup, granted, verified.who, session);
  const active = await storeProfile(storing, credential, session).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    const end = `The login was not stored; profile ${setup.name} is unchanged.`;
    throw error.with({ message: `${error.message} ${end}` });
  });
  return { verified, active };
}

/** Revokes tokens that will not be stored, except a given token. */
async function revokeUnstored(setup: LoginSetup, granted: Granted, http: OAuthHttp): Promise<void> {
  const url = setup.provider?.revocationUrl;
  if (url === undefined) return;
  const { revoke } = await import('../../auth/token-request.ts');
  const { accessToken: access, refreshToken: refresh, clientAuth } = granted;
  const source = `profile ${setup.name}`;
  const revocation = { url, client: clientOf(setup), clientAuth, refresh, access, source, http };
  // An interruption ends the login, but not the revocation.
  await revoke(revocation, new AbortController().signal, REVOKE_MS);
}

/** Whether the profile was for another service; then only its guards are kept. */
function isReplaced({ before, values }: Given): boolean {
  const differs = (['identity_url', 'base_url'] as const).some((key) => values[key] !== before[key]);
  return hasService(before) && differs;
}

/** The profile to store. Settings of other login methods are removed. */
function profileOf(login: Given & Partial<LoginSetup>): Storing {
  const { name, values, method, before, provider, scope } = login;
  const profile = {
    issuer: undefined,
    client_id: undefined,
    ...valuesAt('top', values),
    dialect: values.dialect ?? 'contract',
    auth: authOf(method),
    token_url: provider?.tokenUrl,
    scope,
  };
  return { name, profile, completes: hasService(before) && !isReplaced(login) };
}

/** The credential to store. */
function credentialOf(
  setup: LoginSetup,
  granted: Granted,
  who: Who,
  session: LocalSession,
): StoredCredential {
  const { provider, account, values, endpoints, method } = setup;
  const { scope, clientAuth } = granted;
  const { identity_url, base_url, issuer, client_id } = values;
  const servers = [provider?.issuer, provider?.tokenUrl, provider?.revocationUrl];
  // Tokens belong to the client that requested them, not to one set by a variable later.
  const ofPerson = authOf(method) === 'user' && { client_id, client_auth: clientAuth };
  const login = {
    issuer: provider?.issuer,
    token_url: provider?.tokenUrl,
    revocation_url: provider?.revocationUrl,
    authorization_url: endpoints.authorizationUrl,
    device_authorization_url: endpoints.deviceAuthorizationUrl,
    scope,
    who: withoutHoles(who),
    ...ofPerson,
  };
  return {
    facts: {
      origins: originsOf([identity_url, base_url, issuer, ...servers]),
      login: { method, ...withoutHoles(login) },
      ...withoutHoles({ keyring: account, cached_token: cachedToken(setup, granted, session) }),
    },
    secrets: secretsOf(setup, granted),
  };
}

/** The access token of a login; a client gets another one if it is not known how long this one lasts. */
function cachedToken(setup: LoginSetup, granted: Granted, session: LocalSession): Facts['cached_token'] {
  const { accessToken: access_token, expiresAt: expires_at } = granted;
  const isOfClient = setup.method === 'client-credentials';
  if (setup.method === 'token' || (isOfClient && expires_at === undefined)) return undefined;
  const renew_at = expires_at && renewAtOf(expires_at, session.context.clock.now());
  const key = isOfClient ? cacheKey(settingsOf(profileOf(setup), session)) : undefined;
  return { access_token, ...withoutHoles({ expires_at, renew_at, key }) };
}

function secretsOf({ method, values: { client_secret } }: LoginSetup, granted: Granted): Secrets {
  if (method === 'token') return { token: granted.accessToken };
  return withoutHoles({ client_secret, refresh_token: granted.refreshToken });
}

/** Reports the user, the profile and the expiry of a login. */
async function report(
  setup: LoginSetup,
  granted: Granted,
  { who, doubt }: Verified,
  active: boolean,
  session: LocalSession,
): Promise<void> {
  const { name, method, values, account } = setup;
  // An active profile is mentioned only when it was not active before.
  const isFirst = active && session.config.active_profile === undefined;
  const sentences = [
    `Logged in${whom(setup, who)} at ${new URL(values.base_url ?? '').host}, profile ${name}${isFirst ? ', which is active now' : ''}.`,
    ...(account === undefined ? ['Its secrets are kept unencrypted in credentials.json.'] : []),
    ...storedNotes(name, active, session),
  ];
  await session.out.done(sentences.join(' '), {
    profile: name,
    method,
    active,
    client_id: values.client_id,
    ...withoutHoles(who),
    scopes: granted.scope?.split(' ').filter((scope) => scope !== '') ?? [],
    expires_at: momentText(granted.expiresAt) ?? null,
    storage: account === undefined ? 'file' : 'keyring',
    identity_url: values.identity_url,
    base_url: values.base_url,
    verified: doubt === undefined,
  });
  if (doubt !== undefined)
    await session.out.warn(`The login is stored, but its account could not be determined. ${doubt}`);
  const variable = credentialVariable(session.context.env);
  if (variable !== undefined)
    await session.out.warn(`${variable} is set, and overrides this login unless --profile is given.`);
}

function whom({ method, values }: LoginSetup, who: Who): string {
  const isClient = method === 'client-credentials';
  const known = isClient ? `client ${values.client_id}` : personOf(who);
  if (known === undefined) return '';
  const isNamed = !isClient && who.name !== undefined && who.email !== undefined;
  const inAccount = isNamed || who.account === undefined ? '' : ` (account ${who.account})`;
  // A token's claims must not look like other output.
  return ` as ${known}${inAccount}`.replaceAll(/\s+/g, ' ');
}

/**
 * Asks the service for the owner of the token. Client credentials have no user: the token itself is enough.
 *
 * @param settings the settings of the profile.
 * @throws {CliError} exit 4 if the service rejects the token, 11 if another account is expected.
 */
async function verify(granted: Granted, settings: Settings, session: LocalSession): Promise<Verified> {
  const isClient = settings.auth?.value === 'client-credentials';
  const verified = isClient ? { who: granted.who } : await askedOf(granted, settings, session);
  const client = isClient ? settings.clientId?.value : undefined;
  const owner = ownerOf(claimsOf(granted.accessToken), verified.who, client);
  refuseOthers(settings.expectAccount, owner, 'this login');
  return verified;
}

/** The owner of a token, and a doubt as a sentence unless the service confirmed it. */
interface Verified {
  readonly who: Who;
  readonly doubt?: string | undefined;
}

async function askedOf(granted: Granted, settings: Settings, session: LocalSession): Promise<Verified> {
  const { who, accessToken } = granted;
  const credentials = bearerCredentials(accessToken, `profile ${settings.profile?.value}`);
  // The expected account is checked with the result; the stored one is of the previous login.
  const connection = await openConnection(session, { ...settings, expectAccount: [] }, 'login', credentials);
  try {
    return { who: { ...who, ...whoOf(await connection.api.users.me()) } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.status === 401)
      throw error.with({
        message: `The service rejected this token; nothing was stored. ${error.message}`,
        hint: `Log in with a token that is for ${settings.identityUrl?.value}.`,
      });
    return { who, doubt: error.status === 403 ? undefined : error.message };
  } finally {
    await connection.close();
  }
}

function whoOf(user: ServiceRecord): Who {
  const name = [user['first_name'], user['last_name']].filter(isName).join(' ');
  return namedIn({ subject: user['subject_id'], email: user['email'], name, account: accountIn(user) });
}
