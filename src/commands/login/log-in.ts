import { ownerOf, refuseOthers } from '../../auth/account.ts';
import { bearerCredentials, cachedToken, cacheKey, withTimeLimit } from '../../auth/credentials.ts';
import type { DevicePage } from '../../auth/device-login.ts';
import {
  accountIn,
  claimsOf,
  factsIn,
  momentText,
  namedIn,
  personOf,
  type Who,
} from '../../auth/identity.ts';
import type { Granted, OAuthHttp, Provider } from '../../auth/oauth-http.ts';
import type { StoredCredential } from '../../auth/vault.ts';
import type { WebPage } from '../../auth/web-login.ts';
import { defaultTokenUrl, originsOf } from '../../config/binding.ts';
import type { Secrets } from '../../config/credentials.ts';
import type { Settings } from '../../config/resolve.ts';
import { personName } from '../../model/access.ts';
import { CliError, ExitCode } from '../../model/errors.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { openConnection, openOAuth } from '../../session/connection.ts';
import type { LocalSession } from '../../session/session.ts';
import { credentialVariable } from '../auth/current.ts';
import { valuesAt } from './entries.ts';
import { authOf, type Given, gatherLogin, type LoginFlags } from './given.ts';
import { hasService, prepareStoring, type Storing, settingsOf, storedNotes, storeProfile } from './store.ts';

/** Logs in and stores the profile. A failure changes nothing. */
export async function logIn(session: LocalSession, flags: LoginFlags): Promise<void> {
  const given = await gatherLogin(flags, session);
  const storing = profileOf(given);
  const question = `Replace profile ${given.name}, which is for another service?`;
  const account = await prepareStoring(storing, question, flags, session);
  const settings = settingsOf(storing, session);
  await inTime(settings, session, async (signal) => {
    const timed = { ...session, context: { ...session.context, signal } };
    const { http, close } = await openOAuth(timed, settings);
    try {
      const provider = given.method === 'token' ? undefined : await serverFor(given, http, signal);
      const setup = { ...given, account, provider, scope: provider && scopeFor(given, provider) };
      await obtain(setup, http, timed, (granted) => keep(setup, granted, timed));
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

async function keep(setup: LoginSetup, granted: Granted, session: LocalSession): Promise<void> {
  const storing = profileOf(setup);
  const settings = settingsOf(storing, session);
  const verified = await verify(granted, settings, session);
  const credential = credentialOf(setup, granted, verified.who, settings, session);
  const active = await storeProfile(storing, credential, session);
  await report(setup, granted, verified, active, session);
}

/** The profile to store. Settings of other login methods are removed; of one for another service all but its guards. */
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
  const isOther = (['identity_url', 'base_url'] as const).some((key) => values[key] !== before[key]);
  return { name, profile, replaces: hasService(before) && isOther };
}

/** The credential to store. */
function credentialOf(
  setup: LoginSetup,
  granted: Granted,
  who: Who,
  settings: Settings,
  session: LocalSession,
): StoredCredential {
  const { provider, account, values, method } = setup;
  const { scope, clientAuth } = granted;
  const { identity_url, base_url, issuer, client_id } = values;
  const servers = [provider?.issuer, provider?.tokenUrl, provider?.revocationUrl];
  const key = method === 'client-credentials' ? cacheKey(settings) : undefined;
  const now = session.context.clock.now();
  const cached_token = method === 'token' ? undefined : cachedToken(granted, now, key);
  // Tokens belong to the client that requested them, not to one set by a variable later.
  const ofPerson = authOf(method) === 'user' && { client_id, client_auth: clientAuth };
  const login = {
    issuer: provider?.issuer,
    token_url: provider?.tokenUrl,
    revocation_url: provider?.revocationUrl,
    scope,
    who: withoutHoles(who),
    ...ofPerson,
  };
  return {
    facts: {
      origins: originsOf([identity_url, base_url, issuer, ...servers]),
      login: { method, ...withoutHoles(login) },
      ...withoutHoles({ keyring: account, cached_token }),
    },
    secrets: secretsOf(setup, granted),
  };
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
  const known = method === 'client-credentials' ? `client ${values.client_id}` : personOf(who);
  // A token's claims must not look like other output.
  return known === undefined ? '' : ` as ${known}`.replaceAll(/\s+/g, ' ');
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
  const name = personName(user);
  return namedIn({ subject: user['subject_id'], email: user['email'], name, account: accountIn(user) });
}

/** A login: what was given, its server, and the place for its secrets. */
interface LoginSetup extends Given {
  /** `undefined` without a server. */
  readonly provider: Provider | undefined;
  readonly scope: string | undefined;
  /** The keyring account for the secrets, `undefined` for the file. */
  readonly account: string | undefined;
}

/**
 * Logs in with the given method, and calls `keep` with the tokens before success is reported.
 *
 * @throws {CliError} without a token, and any error of `keep`.
 */
async function obtain(
  login: LoginSetup,
  http: OAuthHttp,
  session: LocalSession,
  keep: (granted: Granted) => Promise<void>,
): Promise<void> {
  const { context, out } = session;
  const { signal, openBrowser } = context;
  const { provider, scope, method, redirectPort, values } = login;
  if (provider === undefined) return keep(givenToken(login));
  const client = { id: values.client_id ?? '', secret: values.client_secret };
  if (method === 'client-credentials') {
    const { requestToken } = await import('../../auth/token-request.ts');
    const { tokenUrl } = provider;
    const request = { provider: { tokenUrl }, client, scope, http, source: `client ${client.id}` };
    return keep(await requestToken(request, signal));
  }
  const asked = { provider, client, scope, http, openBrowser, signal };
  if (method === 'device') {
    const { deviceLogin } = await import('../../auth/device-login.ts');
    return keep(await deviceLogin({ ...asked, tell: (page) => out.note(deviceSentence(page)) }));
  }
  const { webLogin } = await import('../../auth/web-login.ts');
  await webLogin({ ...asked, redirectPort, tell: (page) => out.note(webSentence(page)), keep });
}

/** Asks a person to open the login page: the URL on its own line, and how a browser elsewhere reaches the redirect. */
export function webSentence({ url, isOpened, port }: WebPage): string {
  if (isOpened)
    return `A page to log in opens in your browser. If it does not, open it yourself:\n\n  ${url}\n`;
  const elsewhere = `With a browser on another machine, log in with --device, or forward the port first: ssh -L ${port}:127.0.0.1:${port}`;
  return `Open this page in a browser, and log in:\n\n  ${url}\n\n${elsewhere}\n`;
}

/** Asks a person to type the code. */
export function deviceSentence({ url, code, isOpened, lifetimeMs }: DevicePage): string {
  const where = isOpened
    ? 'A page opens in your browser. If it does not, open this one'
    : 'Open this page in a browser on any device';
  return `${where}, and type the code ${code} within ${Math.ceil(lifetimeMs / 60_000)} min:\n\n  ${url}\n`;
}

/** A given token and its claims. */
function givenToken({ values: { token: accessToken = '' } }: Given): Granted {
  const { who, scopes, expiresAt } = factsIn(claimsOf(accessToken));
  return { accessToken, expiresAt, scope: scopes?.join(' '), clientAuth: 'none', who };
}

/**
 * The OAuth server from the given endpoints, otherwise from its metadata.
 *
 * @throws {CliError} without metadata, except for a client, whose usual endpoint is known.
 */
async function serverFor(given: Given, http: OAuthHttp, signal: AbortSignal): Promise<Provider> {
  const { endpoints, method } = given;
  const { token_url: tokenUrl } = given.values;
  const needed = {
    web: endpoints.authorizationUrl,
    device: endpoints.deviceAuthorizationUrl,
    'client-credentials': tokenUrl,
    token: tokenUrl,
  }[method];
  if (tokenUrl !== undefined && needed !== undefined) return { ...endpoints, tokenUrl };
  const { discover } = await import('../../auth/provider.ts');
  // One of them exists: it was prompted for.
  const issuer = given.values.issuer ?? given.values.identity_url ?? '';
  const found = await discover(issuer, http, signal).catch((error: unknown) => {
    const isKnown =
      method === 'client-credentials' && error instanceof CliError && error.code === 'no_discovery';
    if (isKnown) return { tokenUrl: defaultTokenUrl(issuer) };
    throw error;
  });
  return { ...found, ...withoutHoles(endpoints), ...(tokenUrl === undefined ? {} : { tokenUrl }) };
}

/** The given scopes, otherwise the usual ones that the server supports. */
function scopeFor({ values, method }: Given, { scopes }: Provider): string | undefined {
  if (values.scope !== undefined || authOf(method) !== 'user') return values.scope;
  const usual = ['openid', 'profile', 'email', 'offline_access'];
  const known = usual.filter((scope) => scopes === undefined || scopes.includes(scope));
  return known.length === 0 ? undefined : known.join(' ');
}
