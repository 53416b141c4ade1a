import { type Account, findAccount, oneAccount } from '../auth/account.ts';
import { bearerCredentials } from '../auth/credentials.ts';
import { openCredentials } from '../auth/open-credentials.ts';
import { newCredential } from '../auth/vault.ts';
import { keptAccount, openJournal } from '../change/journal/journal.ts';
import { targetOf as accountOf } from '../change/journal/target.ts';
import { readCredential } from '../config/credentials.ts';
import { sandboxFolder } from '../config/file.ts';
import type { Settings } from '../config/resolve.ts';
import { MOST_MIB, settingTable } from '../config/settings.ts';
import { daysAt } from '../model/dates.ts';
import { shellLine } from '../print/text.ts';
import type { Sandbox } from '../sandbox/server.ts';
import { createShelter } from '../service/budget.ts';
import { dialects } from '../service/dialect.ts';
import { type Credentials, createWriteLog, type WriteLog } from '../service/exchange.ts';
import { createGate, type Gate } from '../service/gate.ts';
import { buildGuard } from '../service/guard.ts';
import type { Operation } from '../service/operations.ts';
import { Forbidden, type MissingScopes } from '../service/refusal.ts';
import { createSend, type Send, type SendOptions } from '../service/send.ts';
import { type Api, createApi } from '../service/service.ts';
import { createWrites, type Writes } from '../service/writes.ts';
import { CliError, invalidInput } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import type { Transport } from './ports.ts';
import { type Opening, openTransport, proxiesOf, traceOf } from './way.ts';

/** A connection to the service, open until it is closed. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** What each api of this connection is built from. */
interface Opened extends Opening {
  readonly settings: Settings;
  readonly target: { readonly identityUrl: string; readonly baseUrl: string };
  readonly transport: Transport;
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
  const { globals, folders, out } = session;
  for (const warning of settings.warnings) await out.warn(warning);
  const shelter = createShelter(session.context.signal);
  const context = { ...session.context, signal: shelter.signal };
  const { startSandbox } = settings.sandbox ? await import('../sandbox/server.ts') : {};
  const folder = sandboxFolder(folders);
  const sandbox = await startSandbox?.({ folder, dialect: settings.dialect.value, now: context.clock.now });
  try {
    const target =
      sandbox === undefined ? targetOf(settings) : { identityUrl: sandbox.url, baseUrl: sandbox.url };
    const transport = await openTransport(context, settings, sandbox === undefined ? proxiesOf(context) : {});
    const opened: Opened = { context, globals, folders, out, settings, target, transport };
    const own = given ?? credentialsOf(opened, sandbox);
    // users/me has a gate of its own: the request that waits for its response holds a place in the other gate.
    const me = () => buildApi(opened, own, createGate(context.clock), async () => {}, noWrites).users.me();
    const sources = { credentials: own, settings, folder: folders.config, me, signal: context.signal };
    const { credentials, account: ask } = oneAccount(sources);
    let asked: Account | undefined;
    const account = async () => {
      asked = await ask();
      return asked;
    };
    const gate = createGate(context.clock);
    const writes = createWriteLog();
    const journal = openJournal({
      ...{ state: folders.state, context, command, profile: settings.profile?.value },
      target: async () => {
        // A single write needs no request besides its own: it does not ask users/me.
        const { text, name } = await findAccount({ ...sources, me: undefined });
        const names = name === undefined && asked !== undefined ? [text, asked.text] : [text];
        return { ...accountOf(settings, keptAccount(folders.state, names) ?? text), names };
      },
    });
    const { destinationOf, announce } = announcerFor(opened);
    return {
      api: buildApi(opened, credentials, gate, announce, createWrites(journal.announce), writes),
      /** Keeps every write before it is sent. */
      journal,
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
      account,
      async close(): Promise<void> {
        shelter.end();
        await journal.close();
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

/** For what only reads. */
const noWrites = createWrites(() => Promise.reject(new Error('it only reads')));

function credentialsOf(opened: Opened, sandbox: Sandbox | undefined): Credentials {
  if (sandbox !== undefined) return bearerCredentials(sandbox.token, 'the sandbox');
  const { settings, context, transport, folders, out } = opened;
  const [folder, trace] = [folders.config, traceOf(opened)];
  return openCredentials({ settings, context, folder, transport, trace, warn: out.warn });
}

function buildApi(
  opened: Opened,
  credentials: Credentials,
  gate: Gate,
  beforeWrite: SendOptions['beforeWrite'],
  kept: Writes,
  writes?: WriteLog,
): Api {
  const { context, out, settings, target, transport, globals, folders } = opened;
  const { clock, random, signal } = context;
  const { timeout } = settings;
  // The clock has no fractions of a millisecond.
  const deadline = timeout && clock.monotonic() + Math.floor(timeout.value * 1000);
  const { profile, guards } = settings;
  const flag = profile?.source.startsWith('flag') === true ? ` --profile ${profile.value}` : '';
  const guard = buildGuard(guards, () => daysAt(clock.now()), `innctl config list${flag}`);
  const sendOnce = createSend({
    transport,
    gate,
    beforeWrite,
    kept,
    writes,
    credentials,
    trace: traceOf(opened),
    guard,
    deadline,
    clock,
    random,
    signal,
    maxAttempts: settings.maxAttempts.value,
    maxBytes: Math.floor(settings.maxBody.value * 1_048_576),
    userAgent: `innctl/${context.version}`,
    dryRun: globals.dryRun === true,
    clean: context.redactor.text,
  });
  const send: Send = (request, earlier) =>
    sendOnce(request, earlier).catch((error) => {
      const limited = withHigherLimit(error, settings, gate);
      throw limited ?? withRemedy(error, credentials, settings, folders.config);
    });
  const service = {
    ...target,
    dialect: dialects[settings.dialect.value],
    idempotencyHeader: settings.idempotencyHeader.value,
  };
  return createApi(service, send, guard, {
    trustsKeys: trustsKeys(settings),
    kept,
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

/** Adds to an error about a limit the flag that raises it; `undefined` for any other error. */
function withHigherLimit(error: unknown, { timeout, maxBody }: Settings, { operationMs }: Gate) {
  if (!(error instanceof CliError)) return undefined;
  const seconds = Math.ceil(2 * (timeout?.value ?? operationMs / 1_000));
  if (error.code === 'timeout') return error.withHint(`Give more time, with --timeout ${seconds}.`);
  const mebibytes = Math.min(MOST_MIB, Math.ceil(8 * maxBody.value));
  const isRaised = error.code === 'too_large' && mebibytes > maxBody.value;
  return isRaised ? error.withHint(`Accept more, with --max-body ${mebibytes}.`) : undefined;
}

/**
 * Adds to a rejected token how to get another one, and to a missing scope how to get it. Not for a 401 of client
 * credentials, which fetch tokens themselves.
 *
 * @param folder contains credentials.json.
 */
function withRemedy(error: unknown, credentials: Credentials, settings: Settings, folder: string) {
  if (error instanceof Forbidden) {
    const remedy = remedyFor(error.missing, credentials, settings, folder);
    return error.withHint(`This needs ${scopesText(error.missing)}: ${remedy}, or use another profile.`);
  }
  const { grant, source } = credentials;
  const isRefused = error instanceof CliError && error.code === 'not_logged_in' && error.status === 401;
  if (!isRefused || grant === 'client-credentials') return error;
  // Its token is rejected only if its user was disabled.
  if (settings.sandbox) return error.withHint('innctl sandbox reset');
  if (source.startsWith('INNCTL_')) return error.withHint(`Set ${source} to a new token.`);
  const { profile } = settings;
  return profile === undefined ? error : error.withHint(newCredential(folder, profile.value));
}

function scopesText({ scopes, isOneEnough }: MissingScopes): string {
  if (scopes.length === 1) return `the scope ${scopes[0]}`;
  return `${isOneEnough ? 'one of ' : ''}the scopes ${scopes.join(', ')}`;
}

function remedyFor(missing: MissingScopes, asking: Credentials, settings: Settings, folder: string): string {
  const { grant, source } = asking;
  const profile = settings.profile?.value;
  if (grant === 'client-credentials') return remedyForClient(missing, settings);
  if (grant === 'user' && profile !== undefined) return remedyForUser(missing, settings, profile, folder);
  const wanted = `a token that has ${missing.isOneEnough || missing.scopes.length === 1 ? 'it' : 'them'}`;
  if (source.startsWith('INNCTL_')) return `set ${source} to ${wanted}`;
  return `give ${wanted}${profile === undefined ? '' : ` (${newCredential(folder, profile)})`}`;
}

/** A client that requests no scopes gets all that it is allowed. */
function remedyForClient(missing: MissingScopes, { scope, profile }: Settings): string {
  const asked = scopesIn(scope?.value);
  if (scope === undefined || isMet(missing, asked)) return 'have it allowed to the client at the service';
  if (scope.source.startsWith('INNCTL_')) return `add it to ${scope.source}`;
  const wanted = withMissing(asked, missing);
  const which = profile === undefined ? [] : ['--profile', profile.value];
  return `ask for it as well (${shellLine(['innctl', 'config', 'set', 'scope', wanted, ...which])})`;
}

/** The user may lack the right itself, which no scope grants. */
function remedyForUser(missing: MissingScopes, settings: Settings, profile: string, folder: string): string {
  const granted = scopesIn(readCredential(folder, profile)?.login?.scope);
  if (isMet(missing, granted)) return 'the login has it, so ask for the right that is missing';
  const wanted = withMissing([...scopesIn(settings.scope?.value), ...granted], missing);
  return `log in again with it (${shellLine(['innctl', 'login', '--profile', profile, '--scope', wanted])})`;
}

function isMet({ scopes, isOneEnough }: MissingScopes, have: readonly string[]): boolean {
  return isOneEnough
    ? scopes.some((scope) => have.includes(scope))
    : scopes.every((scope) => have.includes(scope));
}

/** If one scope is enough, the first grants the least. */
function withMissing(have: readonly string[], { scopes, isOneEnough }: MissingScopes): string {
  return [...new Set([...have, ...(isOneEnough ? scopes.slice(0, 1) : scopes)])].join(' ');
}

function scopesIn(text = ''): readonly string[] {
  return text.split(' ').filter((scope) => scope !== '');
}

/** Announces on a terminal where writes go: each host once, before the first write to it. */
function announcerFor({ context, out, settings }: Opened) {
  const announces = context.stderr.isTerminal && !context.presentation.json;
  const announced = new Set<string>();
  /** The host for a sentence of the caller's own; it is not announced again. */
  const destinationOf = (url: string) => {
    const { host } = new URL(url);
    announced.add(host);
    return settings.profile === undefined ? host : `${host} (profile ${settings.profile.value})`;
  };
  const announce = async (url: string) => {
    if (announces && !announced.has(new URL(url).host)) await out.note(`Sending to ${destinationOf(url)}.`);
  };
  return { destinationOf, announce };
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
  const need = 'both areas of the service need their URL';
  if (profile === undefined)
    throw invalidInput(missing.map(({ env }) => ({ field: env, reason: `is missing: ${need}` })));
  const reason = `is missing in profile ${profile.value}: ${need}`;
  throw invalidInput(
    missing.map(({ key }) => ({ field: key, reason })),
    `innctl profiles add ${profile.value}, or use another one: innctl profiles list`,
  );
}
