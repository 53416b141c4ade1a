import { statSync } from 'node:fs';
import { originsOf } from '../../config/binding.ts';
import { credentialsPath, readCredential } from '../../config/credentials.ts';
import { configPath, readConfig } from '../../config/file.ts';
import type { Settings } from '../../config/resolve.ts';
import { octal } from '../../config/stored-file.ts';
import { reasonOf } from '../../fs/read.ts';
import { CliError, Concluded, ExitCode } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import { type OutlineLine, resultSigns } from '../../print/outline.ts';
import type { Shape } from '../../print/output.ts';
import { shellLine } from '../../print/text.ts';
import { proxyFor } from '../../service/proxies.ts';
import { failureError } from '../../service/refusal.ts';
import { WireFailure } from '../../service/retry.ts';
import { localCommand } from '../../session/command-line.ts';
import { type LocalSession, withLocalSession } from '../../session/session.ts';
import { probeToken } from '../auth/current.ts';

/** The result of one check. */
interface Finding extends Verdict {
  readonly check: string;
}

/** The result without the name of the check. */
interface Verdict {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly detail: string;
  /** A command or instruction for the user. */
  readonly hint?: string | undefined;
  /** The service's id of the request that failed. */
  readonly request_id?: string | undefined;
  /** The exit code of the run if this check failed; 1 otherwise. */
  readonly exitCode?: ExitCode | undefined;
}

/** A check gives a verdict, or the detail of one that is ok. */
type Check = () => Verdict | string | Promise<Verdict | string>;

/** How findings are listed. */
const findingShape: Shape = {
  noun: ['check', 'checks'],
  columns: columnsOf('check status detail hint', [
    { field: 'status', header: 'Status', tones: { fail: 'error', warn: 'warning', skipped: 'hint' } },
  ]),
  others: ['request_id'],
};

/** Time limit of each check in seconds, without --timeout. */
const LIMIT_S = 60;

/**
 * `doctor`: checks this machine, the settings, the connection to the service and the credentials.
 *
 * It reads files and sends GET requests; it changes nothing but a token that must be refreshed.
 */
export function doctorCommand(context: Context) {
  return localCommand('doctor', 'reads', ['doctor', 'doctor --profile chain --json', 'doctor --sandbox'])
    .exitsWith('notLoggedIn', 'unavailable')
    .summary('check settings, network and credentials')
    .description(
      'Check files, settings, connection, credentials and account. ' +
        'Exits with 0 if no check failed; otherwise with the first that applies of 2 (files and settings), ' +
        '4 (credentials), 7 (connection) and 1.',
    )
    .action(
      withLocalSession(
        context,
        async (session) => {
          const findings = await examine(session);
          const rows = findings.map(({ exitCode: _, ...finding }) => finding);
          await session.out.records(findingShape, onePage(rows), {}, findings.map(lineOf));
          const failures = findings.filter(({ status }) => status === 'fail');
          if (failures.length === 0) return;
          const isFound = (code: ExitCode) => failures.some(({ exitCode }) => exitCode === code);
          throw new Concluded(precedence.find(isFound) ?? ExitCode.failed);
        },
        false,
      ),
    );
}

function lineOf({ check, status, detail, hint }: Finding): OutlineLine {
  const below = hint === undefined ? [] : `hint: ${hint}`.split('\n');
  return { ...resultSigns[status], text: `${check}: ${detail}`, below };
}

/** Why the checks after a failed one are skipped. */
const reasons: Readonly<Record<string, string>> = {
  settings: 'the settings cannot be read',
  connection: 'the service is not reached',
  credentials: 'no credentials were accepted',
};

/** Files first: later checks may repair what they read. */
async function examine(session: LocalSession): Promise<readonly Finding[]> {
  const { context, folders, settings } = session;
  const { version, node, platform, uid, signal } = context;
  const limit = () => settings().timeout?.value ?? LIMIT_S;
  let who = '';
  const checks: Readonly<Record<string, Check>> = {
    program: () => `innctl ${version}, Node ${node}, ${platform}`,
    files: () => filesVerdict(folders.config, uid),
    settings: () => settingsText(settings()),
    connection: () => connectionVerdict(session, limit()),
    credentials: async () => {
      const { source, user = {} } = await accepted(session, limit());
      who = [user['email'], user['subject_id']].filter((each) => each !== undefined).join(', ');
      return `the service accepts those of ${source}`;
    },
    account: () => who || 'no user, as with client credentials',
  };
  const findings: Finding[] = [];
  let reason: string | undefined;
  for (const [name, work] of Object.entries(checks)) {
    const result = reason === undefined ? await resultOf(work) : skipped(reason);
    signal.throwIfAborted();
    findings.push({ check: name, ...result });
    if (result.status === 'fail') reason = reasons[name];
  }
  return findings;
}

/** What a check finds; an error is a failure. */
async function resultOf(work: Check): Promise<Verdict> {
  try {
    const result = await work();
    return typeof result === 'string' ? { status: 'ok', detail: result } : result;
  } catch (cause) {
    return failed(cause);
  }
}

function skipped(detail: string): Verdict {
  return { status: 'skipped', detail };
}

/** The settings folder and its files: the worst that is found. @param uid who runs innctl; `undefined` on Windows, which has no modes. */
function filesVerdict(folder: string, uid: number | undefined): Verdict | string {
  const [config, credentials] = [configPath(folder), credentialsPath(folder)];
  readConfig(folder);
  readCredential(folder, '');
  for (const path of [credentials, config, folder]) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || uid === undefined) continue;
    const bad = { status: path === credentials ? 'fail' : 'warn', exitCode: ExitCode.usage } as const;
    if (stats.uid !== uid)
      return { ...bad, detail: `${path} belongs to another user (${stats.uid}; you are ${uid})` };
    if ((stats.mode & 0o077) === 0) continue;
    const detail = `${path} is open to others (mode ${octal(stats.mode)})`;
    return { ...bad, detail, hint: shellLine(['chmod', 'go-rwx', path]) };
  }
  return folder;
}

/** The profile and the settings in effect, with their sources. */
function settingsText({ effective }: Settings): string {
  const set = effective.filter(({ source }) => source !== 'default');
  return set.map(({ setting, value, source }) => `${setting.key} ${value} (${source})`).join(', ');
}

/** Sends each host a GET without a token; any response will do. */
async function connectionVerdict(
  { context, settings }: LocalSession,
  limitS: number,
): Promise<Verdict | string> {
  const { sandbox, identityUrl, baseUrl, tokenUrl } = settings();
  if (sandbox) return skipped('the sandbox is part of innctl');
  const origins = originsOf([identityUrl?.value, baseUrl?.value, tokenUrl?.value]);
  if (origins.length === 0) return skipped('no service is configured');
  const { openTransport, proxiesOf } = await import('../../session/connection.ts');
  const proxies = proxiesOf(context);
  const transport = await openTransport(context, settings());
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitS * 1_000)]);
  const reach = async (origin: string): Promise<Verdict | string> => {
    const url = new URL(origin);
    const proxy = proxyFor(proxies, url);
    const way = proxy === undefined ? '' : ` through ${proxy.origin}`;
    const headers = { accept: 'application/json', 'user-agent': `innctl/${context.version}` };
    try {
      const { status } = await transport.request({ method: 'GET', url: url.href, headers, signal });
      return `${url.host}${way} answered with ${status}`;
    } catch (cause) {
      return unreached(url, cause, signal);
    }
  };
  try {
    const reached = await Promise.all(origins.map(reach));
    return reached.find((each) => typeof each !== 'string') ?? reached.join(', ');
  } finally {
    await transport.close();
  }
}

function unreached({ host }: URL, cause: unknown, signal: AbortSignal): Verdict {
  const { unavailable: exitCode } = ExitCode;
  if (signal.aborted)
    return { status: 'fail', detail: `${host} did not answer within the time limit`, exitCode };
  const error = cause instanceof WireFailure ? failureError(cause, `reach ${host}`) : cause;
  return { ...failed(error), exitCode };
}

/** Whose credentials the service accepts, and where they are from. Sends reads, each once. */
async function accepted(session: LocalSession, limitS: number) {
  const source = 'innctl doctor';
  const timeout = { value: limitS, source };
  const settings = { ...session.settings(), timeout, maxAttempts: { value: 1, source } };
  const { openConnection } = await import('../../session/connection.ts');
  const { api, credentials, close } = await openConnection(session, settings, 'doctor');
  try {
    return { source: credentials.source, user: await probeToken(api, credentials.grant) };
  } finally {
    await close();
  }
}

/** Codes of errors that mean bad credentials, whatever their exit code. */
const ofCredentials = new Set(['not_logged_in', 'account_mismatch']);

function failed(cause: unknown): Verdict {
  const { code = '', hint, requestId, exitCode = ExitCode.failed } = cause instanceof CliError ? cause : {};
  return {
    ...{ status: 'fail', detail: reasonOf(cause), hint, request_id: requestId },
    exitCode: ofCredentials.has(code) ? ExitCode.notLoggedIn : exitCode,
  };
}

/** Of the exit codes of failures, the first one here is that of the run: an earlier failure may cause later ones. */
const precedence: readonly ExitCode[] = [ExitCode.usage, ExitCode.notLoggedIn, ExitCode.unavailable];
