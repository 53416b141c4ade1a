import { type Account, findAccount, oneAccount } from '../auth/account.ts';
import { bearerCredentials } from '../auth/credentials.ts';
import type { OAuthHttp } from '../auth/oauth-http.ts';
import { oauthHttp, openCredentials } from '../auth/open-credentials.ts';
import { type Folders, sandboxFolder } from '../config/file.ts';
import type { Settings } from '../config/resolve.ts';
import { settingTable } from '../config/settings.ts';
import type { Journal } from '../journal/journal.ts';
import { daysAt } from '../model/dates.ts';
import { CliError, ExitCode, invalidInput } from '../model/errors.ts';
import type { Context, Proxies, Transport } from '../model/ports.ts';
import type { Output } from '../print/output.ts';
import { neutraliseLine } from '../print/text.ts';
import type { Sandbox } from '../sandbox/server.ts';
import { dialects } from '../service/apaleo.ts';
import { readAuthorities } from '../service/authorities.ts';
import { createShelter } from '../service/budget.ts';
import {
  type Credentials,
  createTrace,
  createWriteLog,
  type Trace,
  type WriteLog,
} from '../service/exchange.ts';
import { createGate, type Gate } from '../service/gate.ts';
import { buildGuard } from '../service/guard.ts';
import type { Operation } from '../service/operations.ts';
import { proxiesFrom, proxyFor, secretsOf } from '../service/proxies.ts';
import { Forbidden } from '../service/refusal.ts';
import { createSend, type Send, type SendOptions } from '../service/send.ts';
import { type Api, createApi } from '../service/service.ts';
import { createWrites, type Writes } from '../service/writes.ts';
import type { GlobalOptions } from './command-line.ts';

/** What opening a connection needs of a session. */
export interface Opening {
  readonly context: Context;
  readonly globals: GlobalOptions;
  readonly folders: Folders;
  readonly out: Output;
}

/** A connection to the service, open until it is closed. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** What each api of this connection is built from. */
interface Opened extends Opening {
  readonly settings: Settings;
  readonly target: { readonly identityUrl: string; readonly baseUrl: string };
  readonly transport: Transport;
  readonly beforeWrite: SendOptions['beforeWrite'];
  readonly kept: Writes;
  readonly writes: WriteLog;
}

/**
 * Opens the connection to the service in the settings; starts the sandbox if it is selected. Sends nothing yet.
 *
 * @param command the words of the command, for the journal.
 * @throws {CliError} exit 2 when a URL is missing, exit 4 when there are no credentials.
 */
export async function openConnection(
  session: Opening,
  settings: Settings,
  command: string,
  given?: Credentials,
) {
  const { folders, out } = session;
  for (const warning of settings.warnings) await out.warn(warning);
  const shelter = createShelter(session.context.signal);
  const context = { ...session.context, signal: shelter.signal };
  const { startSandbox } = settings.sandbox ? await import('../sandbox/server.ts') : {};
  const folder = sandboxFolder(folders);
  const sandbox = await startSandbox?.({ folder, dialect: settings.dialect.value, now: context.clock.now });
  try {
    const target =
      sandbox === undefined ? targetOf(settings) : { identityUrl: sandbox.url, baseUrl: sandbox.url };
    const transport = await openTransport(context, settings);
    let asked: Account | undefined;
    let opening: Promise<Journal> | undefined;
    const openJournal = async () => {
      const journals = await import('../journal/journal.ts');
      return journals.openJournal({
        ...{ state: folders.state, context, command, profile: settings.profile?.value },
        target: async () => {
          // A single write needs no request besides its own: it does not ask users/me.
          const { text, name } = await findAccount({ ...sources, me: undefined });
          const more = name === undefined && asked !== undefined ? [asked.text] : [];
          return journals.ownerIn(folders.state, settings, [text, ...more]);
        },
      });
    };
    const journal = () => {
      opening ??= openJournal();
      return opening;
    };
    const writes = createWriteLog();
    const { destinationOf, beforeWrite } = announcerFor(session, settings);
    const kept = createWrites(async (...write) => (await journal()).announce(...write));
    const opened: Opened = { ...session, context, settings, target, transport, beforeWrite, kept, writes };
    const own = given ?? credentialsOf(opened, sandbox);
    // users/me has a gate of its own: the request that waits for its response holds a place in the other gate.
    const me = () => buildApi(opened, own, createGate(context.clock)).users.me();
    const sources = { credentials: own, settings, folder: folders.config, me, signal: context.signal };
    const { credentials, account: ask } = oneAccount(sources);
    const gate = createGate(context.clock);
    return {
      api: buildApi(opened, credentials, gate),
      /** The words of the command. */
      command,
      /** The journal, which keeps every write before it is sent. Loaded when it is needed: what only reads has none. */
      journal,
      /** Waits until the journal is on the disk. @throws {CliError} `journal_failed` when a line could not be written. */
      settled: async (): Promise<void> => (await opening)?.settled(),
      /** Keeps every attempt of a write from now on, in the list that is returned. For evidence. */
      keepWrites: writes.keep,
      /** Sets the pace of further requests. A command of one operation needs none. */
      pace: gate.pace,
      /**
       * Runs work whose requests may finish after an interruption, for up to 30 s. The work itself, and `Pacing.stop`,
       * must not start new requests then.
       */
      sheltered: shelter.sheltered,
      /**
       * The destination of writes to an area: `api.example.com (profile chain)`. Once a confirmation shows it, it is not
       * announced again.
       */
      destination: (area: Operation['area']): string =>
        destinationOf(area === 'identity' ? target.identityUrl : target.baseUrl),
      /** Their token is a secret: only `auth token` may show it. */
      credentials,
      /**
       * The account of the token, determined once: from the token, the login or the client, otherwise with one GET of
       * users/me.
       *
       * @throws {CliError} without a token, or if the request fails.
       */
      async account() {
        asked = await ask();
        return asked;
      },
      async close(): Promise<void> {
        shelter.end();
        await (await opening)?.close();
        await credentials.settled?.();
        await transport.close();
        await sandbox?.close();
      },
    };
  } catch (error) {
    await sandbox?.close();
    throw error;
  }
}

function credentialsOf(opened: Opened, sandbox: Sandbox | undefined): Credentials {
  if (sandbox !== undefined) return bearerCredentials(sandbox.token, 'the sandbox');
  const { settings, context, folders, out } = opened;
  const http = oauthHttp({ ...opened, trace: traceOf(opened) });
  return openCredentials({ settings, context, folder: folders.config, http, warn: out.warn });
}

function buildApi(opened: Opened, credentials: Credentials, gate: Gate): Api {
  const { context, out, settings, target, globals, ...wire } = opened;
  const { clock, random, signal } = context;
  const { timeout, profile, guards } = settings;
  const maxAttempts = settings.maxAttempts.value;
  // The clock has no fractions of a millisecond.
  const deadline = timeout && clock.monotonic() + Math.floor(timeout.value * 1000);
  const flag = profile?.source.startsWith('flag') === true ? ` --profile ${profile.value}` : '';
  const guard = buildGuard(guards, () => daysAt(clock.now()), `innctl config list${flag}`);
  const sendOnce = createSend({
    ...{ ...wire, gate, credentials, guard, deadline, clock, random, signal, maxAttempts },
    trace: traceOf(opened),
    maxBytes: Math.floor(settings.maxBody.value * 1_048_576),
    userAgent: `innctl/${context.version}`,
    dryRun: globals.dryRun === true,
    clean: context.redactor.text,
  });
  const send: Send = (request, earlier) =>
    sendOnce(request, earlier).catch((error) => {
      throw withRemedy(error, credentials, settings);
    });
  const service = {
    ...target,
    dialect: dialects[settings.dialect.value],
    idempotencyHeader: settings.idempotencyHeader.value,
  };
  return createApi(service, send, guard, {
    ...{ kept: wire.kept, warn: out.warn, deadline, maxAttempts },
    trustsKeys: trustsKeys(settings),
    grant: credentials.grant,
    now: clock.monotonic,
    sleep: (ms) => clock.sleep(ms, signal),
    operationMs: () => gate.operationMs,
    ahead: () => gate.ahead,
  });
}

/** Adds what to do about a limit, a missing scope, or a rejected token that no client credentials can fetch anew. */
function withRemedy(error: unknown, { grant, source }: Credentials, { sandbox, profile }: Settings): unknown {
  if (!(error instanceof CliError)) return error;
  if (error instanceof Forbidden) {
    const { scopes, isOneEnough } = error.missing;
    const needs = scopes.length === 1 ? 'the scope' : `${isOneEnough ? 'one of ' : ''}the scopes`;
    return error.withHint(
      `This needs ${needs} ${scopes.join(', ')}. Ask for the missing right or scope (innctl login --scope), or use another profile.`,
    );
  }
  if (error.code === 'timeout') return error.withHint('Give more time with --timeout.');
  if (error.code === 'too_large') return error.withHint('Accept more with --max-body.');
  if (error.code !== 'not_logged_in' || error.status !== 401 || grant === 'client-credentials') return error;
  // The token of the sandbox is rejected only if its user was disabled.
  if (sandbox) return error.withHint('innctl sandbox reset');
  if (source.startsWith('INNCTL_')) return error.withHint(`Set ${source} to a new token.`);
  return profile === undefined ? error : error.withHint(`innctl login --profile ${profile.value}`);
}

/** The contract does not name the header of an idempotency key; the public service does, and the sandbox is ours. */
function trustsKeys({ sandbox, dialect, idempotencyHeader }: Settings): boolean {
  return sandbox || dialects[dialect.value].documentsKeys || idempotencyHeader.source !== 'default';
}

/** Announces on a terminal where writes go: each host once, before the first write to it. */
function announcerFor({ context, out }: Opening, { profile }: Settings) {
  const announces = context.stderr.isTerminal && !context.presentation.json;
  const announced = new Set<string>();
  /** The host for a sentence of the caller's own; it is not announced again. */
  const destinationOf = (url: string) => {
    const { host } = new URL(url);
    announced.add(host);
    return profile === undefined ? host : `${host} (profile ${profile.value})`;
  };
  const beforeWrite = async (url: string) => {
    if (announces && !announced.has(new URL(url).host)) await out.note(`Sending to ${destinationOf(url)}.`);
  };
  return { destinationOf, beforeWrite };
}

/** The service in the settings; a profile may hold only guards and defaults. */
function targetOf({ identityUrl, baseUrl, profile }: Settings): Opened['target'] {
  if (identityUrl !== undefined && baseUrl !== undefined)
    return { identityUrl: identityUrl.value, baseUrl: baseUrl.value };
  if (identityUrl === undefined && baseUrl === undefined && profile === undefined) {
    throw new CliError('not_logged_in', 'No service is configured.', {
      exitCode: ExitCode.notLoggedIn,
      hint: 'Try it out with --sandbox, or log in at your service: innctl login',
    });
  }
  const missing = [
    ...(identityUrl === undefined ? [settingTable.identity_url] : []),
    ...(baseUrl === undefined ? [settingTable.base_url] : []),
  ];
  const where = profile === undefined ? '' : ` in profile ${profile.value}`;
  const reason = `is missing${where}: both areas of the service need their URL`;
  throw invalidInput(
    missing.map(({ env, key }) => ({ field: profile === undefined ? env : key, reason })),
    'innctl login, or use another profile: innctl profiles list',
  );
}

/** Milliseconds: to connect; and to the head of the answer and between two chunks of its body, unless --timeout is longer. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** The proxies from the environment. Masks their passwords from now on. */
export function proxiesOf({ env, redactor }: Context): Proxies {
  const proxies = proxiesFrom(env);
  for (const secret of secretsOf(proxies)) redactor.add(secret);
  return proxies;
}

/** With the value 0, Node checks no certificates. */
const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Opens the transport to all hosts. Sends nothing yet.
 *
 * @throws {CliError} exit 2 if TLS is used and the environment disables certificate checks.
 */
export async function openTransport(context: Context, settings: Settings): Promise<Transport> {
  const { caFile, timeout, sandbox } = settings;
  const proxies = sandbox ? {} : proxiesOf(context);
  refuseUnchecked(context, usesTls(settings, proxies));
  const silenceMs = Math.max(SILENCE_MS, Math.ceil((timeout?.value ?? 0) * 1_000));
  return context.connect({
    proxies,
    authorities: await readAuthorities(caFile && { path: caFile.value, source: caFile.source }, context.env),
    connectTimeoutMs: CONNECT_MS,
    headTimeoutMs: silenceMs,
    idleTimeoutMs: silenceMs,
  });
}

/** Refuses TLS without certificate checks. @throws {CliError} exit 2. */
function refuseUnchecked({ env }: Context, isTls: boolean): void {
  if (env[UNCHECKED] !== '0' || !isTls) return;
  const sentence = `${UNCHECKED}=0 turns off the check of certificates: credentials could go to any host. Nothing was sent.`;
  throw new CliError('unchecked_tls', sentence, {
    exitCode: ExitCode.usage,
    hint: `unset ${UNCHECKED}; for an authority of your own: --ca-file`,
  });
}

/** Plain http has no certificates, but its proxy may. */
function usesTls({ identityUrl, baseUrl, tokenUrl, issuer }: Settings, proxies: Proxies): boolean {
  const urls = [identityUrl, baseUrl, tokenUrl, issuer].flatMap((each) =>
    each === undefined ? [] : [new URL(each.value)],
  );
  return urls.some((url) =>
    [url.protocol, proxyFor(proxies, url)?.origin].some((scheme) => scheme?.startsWith('https:')),
  );
}

/** Writes exchanges to stderr with `--debug`. */
function traceOf({ context, globals }: Opening): Trace {
  return globals.debug === true ? createTrace(context.stderr, neutraliseLine) : undefined;
}

/** Opens a connection to an OAuth server. Sends nothing yet. */
export async function openOAuth(session: Opening, settings: Settings) {
  const { context } = session;
  const transport = await openTransport(context, settings);
  const http = oauthHttp({ settings, context, transport, trace: traceOf(session) });
  const request: OAuthHttp['request'] = async (wire) => {
    // The URL comes from a flag of the login, or from a response of its server.
    refuseUnchecked(context, wire.url.startsWith('https:'));
    return http.request(wire);
  };
  return { http: { ...http, request }, close: (): Promise<void> => transport.close() };
}
