import { statSync } from 'node:fs';
import { localCommand } from '../../cli/described-command.ts';
import { CliError, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession } from '../../cli/session.ts';
import { openTransport, proxiesOf } from '../../cli/way.ts';
import { originsOf } from '../../config/binding.ts';
import { credentialsPath, readCredential } from '../../config/credentials.ts';
import { configPath, readConfig } from '../../config/file.ts';
import type { Settings } from '../../config/resolve.ts';
import { octal } from '../../config/stored-file.ts';
import { reasonOf } from '../../fs/read.ts';
import { onePage } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { shellLine } from '../../print/text.ts';
import { WireFailure } from '../../service/failures.ts';
import { proxyFor } from '../../service/proxies.ts';
import { failureError } from '../../service/refusal.ts';
import { probeToken } from '../auth/probe.ts';

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

/** How findings are listed. */
export const findingShape: Shape = {
  noun: ['check', 'checks'],
  // The records are findings.
  checked: (record) => {
    const { status: result, check: name, detail, hint } = record as unknown as Finding;
    return { result, name, detail, hint };
  },
  columns: columnsOf('check status detail hint', [
    { field: 'status', header: 'Status', tones: { fail: 'error', warn: 'warning', skipped: 'hint' } },
  ]),
  others: ['request_id'],
};

/** Time limit of all requests in seconds, without --timeout. */
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
          await session.out.records(findingShape, onePage(rows));
          const exitCode = exitCodeOf(findings);
          if (exitCode !== ExitCode.done) throw new Concluded(exitCode);
        },
        false,
      ),
    );
}

/** Files first: later checks may repair what they read. */
async function examine(session: LocalSession): Promise<readonly Finding[]> {
  const { version, node, platform, uid } = session.context;
  const machine: readonly Finding[] = [
    found('program', `innctl ${version}, Node ${node}, ${platform}`),
    await check('files', () => filesVerdict(session.folders.config, uid)),
  ];
  const settings = await check('settings', () => settingsText(session.settings()));
  const examined = [...machine, settings];
  if (settings.status === 'fail')
    return [...examined, ...skipped(['connection', 'credentials', 'account'], 'the settings cannot be read')];
  const limitMs = (session.settings().timeoutSeconds?.value ?? LIMIT_S) * 1_000;
  const deadline = performance.now() + limitMs;
  const connection = await check('connection', () => connectionVerdict(session, limitMs));
  session.context.signal.throwIfAborted();
  if (connection.status === 'fail')
    return [...examined, connection, ...skipped(['credentials', 'account'], 'the service is not reached')];
  return [...examined, connection, ...(await examineCredentials(session, deadline))];
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
  limitMs: number,
): Promise<Verdict | string> {
  const { sandbox, identityUrl, baseUrl, tokenUrl } = settings();
  if (sandbox) return { status: 'skipped', detail: 'the sandbox is part of innctl' };
  const origins = originsOf([identityUrl?.value, baseUrl?.value, tokenUrl?.value]);
  if (origins.length === 0) return { status: 'skipped', detail: 'no service is configured' };
  const proxies = proxiesOf(context);
  const transport = await openTransport(context, settings(), proxies);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitMs)]);
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
  if (signal.aborted) return { ...failed(`${host} did not answer within the time limit`), exitCode };
  if (!(cause instanceof WireFailure)) return { ...failed(cause), exitCode };
  const verdict = { ...failed(failureError(cause, `reach ${host}`)), exitCode };
  return cause.kind === 'tls'
    ? { ...verdict, hint: 'Trust the authority of its certificate: --ca-file <path>' }
    : verdict;
}

/** Whether the service accepts the credentials, and whose they are. Sends reads, each once. @param deadline of them all. */
async function examineCredentials(session: LocalSession, deadline: number): Promise<readonly Finding[]> {
  const source = 'innctl doctor';
  const timeoutSeconds = { value: Math.max(deadline - performance.now(), 1) / 1_000, source };
  const settings = { ...session.settings(), timeoutSeconds, maxAttempts: { value: 1, source } };
  try {
    const { openConnection } = await import('../../cli/connection.ts');
    const { api, credentials, close } = await openConnection(session, settings, 'doctor');
    try {
      const user = (await probeToken(api, credentials.grant)) ?? {};
      const who = [user['email'], user['subject_id']].filter((each) => each !== undefined).join(', ');
      return [
        found('credentials', `the service accepts those of ${credentials.source}`),
        found('account', who || 'no user, as with client credentials'),
      ];
    } finally {
      await close();
    }
  } catch (cause) {
    session.context.signal.throwIfAborted();
    return [found('credentials', failed(cause)), ...skipped(['account'], 'no credentials were accepted')];
  }
}

/** Makes a check; an error is a failure. */
async function check(
  name: string,
  work: () => Verdict | string | Promise<Verdict | string>,
): Promise<Finding> {
  try {
    return found(name, await work());
  } catch (cause) {
    return found(name, failed(cause));
  }
}

/** The result of a check: a verdict, or the detail of one that is ok. */
function found(name: string, result: Verdict | string): Finding {
  return { check: name, ...(typeof result === 'string' ? { status: 'ok', detail: result } : result) };
}

/** Codes of errors that mean bad credentials, whatever their exit code. */
const ofCredentials = new Set(['not_logged_in', 'account_mismatch']);

/** A failure, from a reason or an error. */
function failed(cause: unknown): Verdict {
  const { code = '', hint, requestId, exitCode = ExitCode.failed } = cause instanceof CliError ? cause : {};
  return {
    status: 'fail',
    detail: typeof cause === 'string' ? cause : reasonOf(cause),
    hint,
    request_id: requestId,
    exitCode: ofCredentials.has(code) ? ExitCode.notLoggedIn : exitCode,
  };
}

/** Checks that were not possible. */
function skipped(checks: readonly string[], detail: string): readonly Finding[] {
  return checks.map((name) => ({ check: name, status: 'skipped', detail }));
}

/** In order of precedence: an earlier failure may cause later ones. */
const precedence: readonly ExitCode[] = [ExitCode.usage, ExitCode.notLoggedIn, ExitCode.unavailable];

/** The exit code of the run: that of the failure with the highest precedence, 0 if no check failed. */
function exitCodeOf(findings: readonly Finding[]): ExitCode {
  const codes = findings.filter(({ status }) => status === 'fail').map(({ exitCode }) => exitCode);
  if (codes.length === 0) return ExitCode.done;
  return precedence.find((code) => codes.includes(code)) ?? ExitCode.failed;
}
