import { join } from 'node:path';
import type { Account } from '../auth/account.ts';
import { bearerCredentials } from '../auth/credentials.ts';
import { type AskWho, oncePerToken, oneAccount } from '../auth/one-account.ts';
import { openCredentials } from '../auth/open-credentials.ts';
import { newCredential } from '../auth/vault.ts';
import type { Settings } from '../config/resolve.ts';
import { settingTable } from '../config/settings.ts';
import { daysAt } from '../model/dates.ts';
import { createShelter, type Shelter } from '../service/budget.ts';
import { createCall, createCheck, createPermit } from '../service/client.ts';
import { dialects } from '../service/dialect.ts';
import type { Credentials } from '../service/exchange.ts';
import { createGate, type Pacing } from '../service/gate.ts';
import { buildGuard } from '../service/guard.ts';
import type { Operation } from '../service/operations.ts';
import { createRaw } from '../service/raw.ts';
import { createAnnouncer, createSend, type Send, type SendOptions } from '../service/send.ts';
import { type Api, createApi } from '../service/service.ts';
import type { Trace } from '../service/trace.ts';
import { CliError, invalidInput } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import type { Proxies, Transport } from './ports.ts';
import { openTransport, proxiesOf, type Surroundings, traceOf } from './way.ts';

/** Who asks, and with which token. */
type Asking = Pick<Credentials, 'source' | 'grant' | 'current'>;

/** The way to the service, open until it is closed. */
export interface Connection {
  readonly api: Api;
  readonly pace: (pacing: Pacing) => void;
  readonly sheltered: Shelter['sheltered'];
  readonly destination: (area: Operation['area']) => string;
  /** Who asks. What comes of it is a secret: it may be shown by `auth token` alone. */
  readonly credentials: Asking;
  /**
   * The account that is worked on, found out once: from the token, the login or the client, else from one GET of users/me.
   *
   * @throws {CliError} where there is no token, or the service could not be asked.
   */
  readonly account: () => Promise<Account>;
  close(): Promise<void>;
}

/** Milliseconds for one try. */
const TRY_MS = 60_000;

/**
 * Opens the way to the service that the settings name; the sandbox is started first where it is meant.
 * Nothing is sent yet.
 *
 * @throws {CliError} exit 2 when a URL is missing, exit 4 when there are no credentials.
 */
export async function openConnection(outside: Surroundings): Promise<Connection> {
  const settings = outside.settings();
  const { profile, clientId, identityUrl, baseUrl, tokenUrl } = settings;
  for (const each of [profile, clientId, identityUrl, baseUrl, tokenUrl])
    if (each !== undefined) outside.context.redactor.allow(each.value);
  const { signal, sheltered, end } = createShelter(outside.context.signal);
  const session = { ...outside, context: { ...outside.context, signal } };
  const gate = createGate(outside.context.clock);
  for (const warning of settings.warnings) await session.out.warn(warning);
  const target = await targetFor(session, settings);
  try {
    const transport = await openTransport(session.context, settings, target.proxies);
    const bare = target.credentials(transport, traceOf(session));
    const way = { transport, gate: createGate(session.context.clock), credentials: bare };
    const me = () => apiOver({ ...way, beforeWrite: async () => {} }, target, session, settings).users.me();
    const askWho = oncePerToken(bare, me, signal);
    const asked = await guarded(bare, askWho, session, settings);
    const { credentials, account } = oneAccount(asked, () => accountOf(asked, askWho, session, settings));
    const close = async () => {
      end();
      await credentials.settled?.();
      await transport.close();
      await target.close();
    };
    const { told, announce } = announcerFor(session, settings);
    return {
      api: apiOver({ transport, gate, credentials, beforeWrite: announce }, target, session, settings),
      pace: gate.pace,
      sheltered,
      destination: (area) => told(new URL(area === 'identity' ? target.identityUrl : target.baseUrl).host),
      credentials,
      account,
      close,
    };
  } catch (error) {
    await target.close();
    throw error;
  }
}

/**
 * Where somebody is expected, the credentials of nobody else are given out.
 *
 * @param askWho passes no gate: behind that the request stands which waits for the answer.
 */
async function guarded(
  bare: Credentials,
  askWho: AskWho,
  { folders }: Surroundings,
  settings: Settings,
): Promise<Credentials> {
  const expected = settings.expectAccount;
  if (expected.length === 0) return bare;
  const { expecting } = await import('../auth/identity.ts');
  const { knownIdentities } = await import('../auth/identity.ts');
  return expecting(bare, { expected, known: () => knownIdentities(settings, folders.config, bare), askWho });
}

async function accountOf(
  credentials: Credentials,
  askWho: AskWho,
  { folders, context: { signal } }: Surroundings,
  settings: Settings,
): Promise<Account> {
  const { findAccount } = await import('../auth/account.ts');
  return findAccount({ credentials, settings, folder: folders.config, askWho, signal });
}

function apiOver(
  way: Pick<SendOptions, 'transport' | 'gate' | 'credentials' | 'beforeWrite'>,
  target: Target,
  session: Surroundings,
  settings: Settings,
): Api {
  const { context, out } = session;
  const { clock, signal } = context;
  const { timeoutSeconds } = settings;
  // The clock knows no part of a millisecond: what is shorter is over at once.
  const deadline = timeoutSeconds && clock.monotonic() + Math.floor(timeoutSeconds.value * 1000);
  const guard = buildGuard(settings.guards, { days: () => daysAt(clock.now()), hint: explaining(settings) });
  const send = senderOver({ ...way, trace: traceOf(session), guard, deadline }, session, settings);
  const service = {
    identityUrl: target.identityUrl,
    baseUrl: target.baseUrl,
    dialect: dialects[settings.dialect.value],
    idempotencyHeader: settings.idempotencyHeader.value,
  };
  return createApi(createCall(service, send), {
    dialect: service.dialect,
    permit: createPermit(guard),
    check: createCheck(service),
    raw: createRaw(service, { send, guard, warn: out.warn }),
    trustsKeys: trustsKeys(settings),
    grant: way.credentials.grant,
    warn: out.warn,
    now: clock.monotonic,
    sleep: (ms) => clock.sleep(ms, signal),
    deadline,
    operationMs: () => way.gate.operationMs,
    ahead: () => way.gate.ahead,
    maxAttempts: settings.maxAttempts.value,
  });
}

/** The contract does not name the header of a key; the public service does, and the sandbox is ours. */
function trustsKeys({ sandbox, dialect, idempotencyHeader }: Settings): boolean {
  return sandbox || dialects[dialect.value].documentsKeys || idempotencyHeader.source !== 'default';
}

function senderOver(
  way: Pick<
    SendOptions,
    'transport' | 'gate' | 'beforeWrite' | 'credentials' | 'trace' | 'guard' | 'deadline'
  >,
  session: Surroundings,
  settings: Settings,
): Send {
  const { context, globals } = session;
  const { clock, random, signal } = context;
  const send = createSend({
    ...way,
    clock,
    random,
    signal,
    maxAttempts: settings.maxAttempts.value,
    maxBytes: Math.floor(settings.maxBodyMiB.value * 1_048_576),
    attemptTimeoutMs: TRY_MS,
    userAgent: `innctl/${context.version}`,
    dryRun: globals.dryRun === true,
    clean: context.redactor.text,
    scopeHint: async (missing) => {
      const { scopeHintFor } = await import('./scope-hint.ts');
      return scopeHintFor(missing, way.credentials, settings, session.folders.config);
    },
  });
  return (request) => send(request).catch(withLogin(way.credentials, settings, session.folders.config));
}

/**
 * Adds to the refusal of a token what gives another one. Where a client fetches tokens there is none to give.
 *
 * @param folder where credentials.json is.
 * @returns for `catch`; every error goes on.
 */
function withLogin({ grant, source, remedy }: Credentials, { profile }: Settings, folder: string) {
  return (error: unknown): never => {
    const isRefused = error instanceof CliError && error.code === 'not_logged_in' && error.status === 401;
    if (!isRefused || grant === 'client-credentials') throw error;
    if (remedy !== undefined) throw error.withHint(remedy);
    if (source.startsWith('INNCTL_')) throw error.withHint(`Set ${source} to a new token.`);
    throw profile === undefined ? error : error.withHint(newCredential(folder, profile.value));
  };
}

/** The command that shows where a guard is set, for the profile that was meant. */
function explaining({ profile }: Settings): (key: string) => string {
  const flag = profile?.source.startsWith('flag') === true ? ` --profile ${profile.value}` : '';
  return (key) => `innctl config explain ${key}${flag}`;
}

/** Whoever is at a terminal is told where writes go. */
function announcerFor({ context, out }: Surroundings, { profile }: Settings) {
  const isTold = context.stderr.isTerminal && !context.presentation.json;
  return createAnnouncer(profile?.value, isTold ? out.note : undefined);
}

/** One service, how it is reached, and who asks. */
interface Target {
  readonly identityUrl: string;
  readonly baseUrl: string;
  readonly proxies: Proxies;
  credentials(transport: Transport, trace: Trace): Credentials;
  close(): Promise<void>;
}

/** The service that the settings name; the sandbox is started where it is meant. */
async function targetFor(outside: Surroundings, settings: Settings): Promise<Target> {
  return settings.sandbox ? await sandboxTarget(outside, settings) : serviceTarget(outside, settings);
}

/** The sandbox, served by this very process. No proxy comes in between. */
async function sandboxTarget({ context, folders }: Surroundings, settings: Settings): Promise<Target> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const folder = join(folders.state, 'sandbox');
  const dialect = settings.dialect.value;
  const sandbox = await startSandbox({ folder, dialect, now: context.clock.now });
  return {
    identityUrl: sandbox.url,
    baseUrl: sandbox.url,
    proxies: {},
    credentials: () => bearerCredentials(sandbox.token, 'the sandbox'),
    close: sandbox.close,
  };
}

function serviceTarget(outside: Surroundings, settings: Settings): Target {
  const { context, folders, out } = outside;
  const { identityUrl, baseUrl, profile } = settings;
  if (identityUrl === undefined && baseUrl === undefined && profile === undefined) throw nowhere();
  if (identityUrl === undefined || baseUrl === undefined) throw urlsMissing(settings);
  return {
    identityUrl: identityUrl.value,
    baseUrl: baseUrl.value,
    proxies: proxiesOf(context),
    credentials: (transport, trace) =>
      outside.credentials ??
      openCredentials({
        settings,
        context,
        folder: folders.config,
        transport,
        trace,
        warn: out.warn,
        readStored: outside.readStored,
      }),
    close: async () => {},
  };
}

function nowhere(): CliError {
  return new CliError('not_logged_in', 'No service is configured.', {
    exitCode: ExitCode.notLoggedIn,
    hint: 'Try it out with --sandbox, or log in at your service: innctl login',
  });
}

/** A profile may hold nothing but guards and defaults. */
function urlsMissing({ identityUrl, baseUrl, profile }: Settings): CliError {
  const missing = [
    { ...settingTable.identity_url, url: identityUrl },
    { ...settingTable.base_url, url: baseUrl },
  ].filter(({ url }) => url === undefined);
  const need = 'both areas of the service need their URL';
  if (profile === undefined)
    return invalidInput(missing.map(({ env }) => ({ field: env, reason: `is missing: ${need}` })));
  const reason = `is missing in profile ${profile.value}: ${need}`;
  return invalidInput(
    missing.map(({ key }) => ({ field: key, reason })),
    `innctl profiles add ${profile.value}, or use another one: innctl profiles list`,
  );
}
