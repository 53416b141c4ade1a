import { join } from 'node:path';
import type { Account } from '../auth/account.ts';
import { bearerCredentials } from '../auth/credentials.ts';
import { type AskWho, oncePerToken, oneAccount } from '../auth/one-account.ts';
import { openCredentials } from '../auth/open-credentials.ts';
import { newCredential } from '../auth/vault.ts';
import type { readCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { settingTable } from '../config/settings.ts';
import { daysAt } from '../model/dates.ts';
import type { Sandbox } from '../sandbox/server.ts';
import { createShelter, type Shelter } from '../service/budget.ts';
import { createCall, createCheck, createPermit } from '../service/client.ts';
import { dialects } from '../service/dialect.ts';
import type { Credentials } from '../service/exchange.ts';
import { createGate, type Gate, type Pacing } from '../service/gate.ts';
import { buildGuard } from '../service/guard.ts';
import type { Operation } from '../service/operations.ts';
import { createRaw } from '../service/raw.ts';
import { Forbidden } from '../service/refusal.ts';
import { createSend, type Send, type SendOptions } from '../service/send.ts';
import { type Api, createApi } from '../service/service.ts';
import { CliError, invalidInput } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import type { Transport } from './ports.ts';
import { type Opening, openTransport, proxiesOf, traceOf } from './way.ts';

/** The credentials of a connection, for display. */
type Asking = Pick<Credentials, 'source' | 'grant' | 'current'>;

/** A connection to the service, open until it is closed. */
export interface Connection {
  readonly api: Api;
  readonly pace: (pacing: Pacing) => void;
  readonly sheltered: Shelter['sheltered'];
  readonly destination: (area: Operation['area']) => string;
  /** The token of these is a secret: only `auth token` may show it. */
  readonly credentials: Asking;
  /**
   * The account of the token, determined once: from the token, the login or the client, otherwise with one GET of
   * users/me.
   *
   * @throws {CliError} without a token, or if the request fails.
   */
  readonly account: () => Promise<Account>;
  close(): Promise<void>;
}

/** Milliseconds for one attempt. */
const TRY_MS = 60_000;

/** Overrides the credentials from the settings, and how stored ones are read. */
export interface Asker {
  readonly credentials?: Credentials;
  /** `lookUpCredential` leaves the file as it is; default `readCredential`. */
  readonly readStored?: typeof readCredential;
}

/** One service. */
interface Target {
  readonly identityUrl: string;
  readonly baseUrl: string;
  /** The sandbox, in this process. */
  readonly sandbox?: Sandbox;
}

/** What each api of this connection is built from. */
interface Opened extends Opening {
  readonly settings: Settings;
  readonly target: Target;
  readonly transport: Transport;
}

/**
 * Opens the connection to the service in the settings; starts the sandbox if it is selected. Sends nothing yet.
 *
 * @throws {CliError} exit 2 when a URL is missing, exit 4 when there are no credentials.
 */
export async function openConnection(
  session: Opening,
  settings: Settings,
  asker: Asker = {},
): Promise<Connection> {
  const { profile, clientId, identityUrl, baseUrl, tokenUrl } = settings;
  for (const each of [profile, clientId, identityUrl, baseUrl, tokenUrl])
    if (each !== undefined) session.context.redactor.allow(each.value);
  for (const warning of settings.warnings) await session.out.warn(warning);
  const shelter = createShelter(session.context.signal);
  const context = { ...session.context, signal: shelter.signal };
  const target = settings.sandbox ? await startSandboxOf(session, settings) : serviceOf(settings);
  try {
    const proxies = settings.sandbox ? {} : proxiesOf(context);
    const transport = await openTransport(context, settings, proxies);
    const { globals, folders, out } = session;
    const opened: Opened = { context, globals, folders, out, settings, target, transport };
    const own = asker.credentials ?? credentialsOf(opened, asker);
    // users/me has a gate of its own: the request that waits for its response holds a place in the other gate.
    const me = () => buildApi(opened, own, createGate(context.clock), async () => {}).users.me();
    const askWho = oncePerToken(own, me, context.signal);
    const expected = await onlyExpected(own, askWho, opened);
    const { credentials, account } = oneAccount(expected, () => accountOf(expected, askWho, opened));
    const gate = createGate(context.clock);
    const { told, announce } = announcerFor(opened);
    return {
      api: buildApi(opened, credentials, gate, announce),
      pace: gate.pace,
      sheltered: shelter.sheltered,
      destination: (area) => told(new URL(area === 'identity' ? target.identityUrl : target.baseUrl).host),
      credentials,
      account,
      async close() {
        shelter.end();
        await credentials.settled?.();
        await transport.close();
        await target.sandbox?.close();
      },
    };
  } catch (error) {
    await target.sandbox?.close();
    throw error;
  }
}

function credentialsOf(opened: Opened, { readStored }: Asker): Credentials {
  const { settings, context, target, transport, folders, out } = opened;
  if (target.sandbox !== undefined) return bearerCredentials(target.sandbox.token, 'the sandbox');
  const [folder, trace] = [folders.config, traceOf(opened)];
  return openCredentials({ settings, context, folder, transport, trace, warn: out.warn, readStored });
}

/** With an expected account, withholds the credentials of any other account. */
async function onlyExpected(
  credentials: Credentials,
  askWho: AskWho,
  { folders, settings }: Opened,
): Promise<Credentials> {
  const expected = settings.expectAccount;
  if (expected.length === 0) return credentials;
  const { expecting, knownIdentities } = await import('../auth/identity.ts');
  const known = () => knownIdentities(settings, folders.config, credentials);
  return expecting(credentials, { expected, known, askWho });
}

async function accountOf(credentials: Credentials, askWho: AskWho, opened: Opened): Promise<Account> {
  const { settings, folders, context } = opened;
  const { findAccount } = await import('../auth/account.ts');
  return findAccount({ credentials, settings, folder: folders.config, askWho, signal: context.signal });
}

function buildApi(
  opened: Opened,
  credentials: Credentials,
  gate: Gate,
  beforeWrite: SendOptions['beforeWrite'],
): Api {
  const { context, out, settings, target, transport, globals, folders } = opened;
  const { clock, random, signal } = context;
  const { timeoutSeconds } = settings;
  // The clock has no fractions of a millisecond.
  const deadline = timeoutSeconds && clock.monotonic() + Math.floor(timeoutSeconds.value * 1000);
  const guard = buildGuard(settings.guards, { days: () => daysAt(clock.now()), hint: explaining(settings) });
  const sendOnce = createSend({
    transport,
    gate,
    beforeWrite,
    credentials,
    trace: traceOf(opened),
    guard,
    deadline,
    clock,
    random,
    signal,
    maxAttempts: settings.maxAttempts.value,
    maxBytes: Math.floor(settings.maxBodyMiB.value * 1_048_576),
    attemptTimeoutMs: TRY_MS,
    userAgent: `innctl/${context.version}`,
    dryRun: globals.dryRun === true,
    clean: context.redactor.text,
  });
  const send: Send = (request, earlier) =>
    sendOnce(request, earlier).catch(async (error) => {
      throw await withRemedy(error, credentials, settings, folders.config);
    });
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
    raw: createRaw(service, send, guard, out.warn),
    trustsKeys: trustsKeys(settings),
    grant: credentials.grant,
    warn: out.warn,
    now: clock.monotonic,
    sleep: (ms) => clock.sleep(ms, signal),
    deadline,
    operationMs: () => gate.operationMs,
    ahead: () => gate.ahead,
    maxAttempts: settings.maxAttempts.value,
  });
}

/** The contract does not name the header of an idempotency key; the public service does, and the sandbox is ours. */
function trustsKeys({ sandbox, dialect, idempotencyHeader }: Settings): boolean {
  return sandbox || dialects[dialect.value].documentsKeys || idempotencyHeader.source !== 'default';
}

/**
 * Adds to a rejected token how to get another one, and to a missing scope how to get it. Not for a 401 of client
 * credentials, which fetch tokens themselves.
 *
 * @param folder contains credentials.json.
 */
async function withRemedy(error: unknown, credentials: Credentials, settings: Settings, folder: string) {
  if (error instanceof Forbidden) {
    const { scopeHintFor } = await import('./scope-hint.ts');
    return error.withHint(scopeHintFor(error.missing, credentials, settings, folder));
  }
  const { grant, source, remedy } = credentials;
  const isRefused = error instanceof CliError && error.code === 'not_logged_in' && error.status === 401;
  if (!isRefused || grant === 'client-credentials') return error;
  if (remedy !== undefined) return error.withHint(remedy);
  if (source.startsWith('INNCTL_')) return error.withHint(`Set ${source} to a new token.`);
  const { profile } = settings;
  return profile === undefined ? error : error.withHint(newCredential(folder, profile.value));
}

/** The command that shows where a guard is set, for the selected profile. */
function explaining({ profile }: Settings): (key: string) => string {
  const flag = profile?.source.startsWith('flag') === true ? ` --profile ${profile.value}` : '';
  return (key) => `innctl config explain ${key}${flag}`;
}

/** Announces on a terminal where writes go: each host once, before the first write to it. */
function announcerFor({ context, out, settings }: Opened) {
  const announces = context.stderr.isTerminal && !context.presentation.json;
  const hosts = new Set<string>();
  /** The host for a sentence of the caller's own; it is not announced again. */
  const told = (host: string) => {
    hosts.add(host);
    return settings.profile === undefined ? host : `${host} (profile ${settings.profile.value})`;
  };
  const announce = async (url: string) => {
    const { host } = new URL(url);
    if (announces && !hosts.has(host)) await out.note(`Sending to ${told(host)}.`);
  };
  return { told, announce };
}

/** The sandbox, in this process. */
async function startSandboxOf({ context, folders }: Opening, settings: Settings): Promise<Target> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const folder = join(folders.state, 'sandbox');
  const sandbox = await startSandbox({ folder, dialect: settings.dialect.value, now: context.clock.now });
  return { identityUrl: sandbox.url, baseUrl: sandbox.url, sandbox };
}

function serviceOf(settings: Settings): Target {
  const { identityUrl, baseUrl, profile } = settings;
  if (identityUrl === undefined && baseUrl === undefined && profile === undefined) throw nowhere();
  if (identityUrl === undefined || baseUrl === undefined) throw urlsMissing(settings);
  return { identityUrl: identityUrl.value, baseUrl: baseUrl.value };
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
