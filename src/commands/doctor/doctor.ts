import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context, Proxies } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession } from '../../cli/session.ts';
import type { Settings } from '../../config/resolve.ts';
import { onePage, type Page } from '../../model/records.ts';
import { readAuthorities } from '../../service/authorities.ts';
import { secretsOf } from '../../service/proxies.ts';
import type { Api } from '../../service/service.ts';
import { exitCodeOf, type Finding, failed, findingShape, ok, skipped, skippedAll, warn } from './finding.ts';
import { examineHosts, type Host, hostsOf } from './hosts.ts';
import {
  examineAuthorities,
  examineCommand,
  examineFiles,
  examineKeyring,
  examineProxies,
  examineSettings,
  examineTls,
} from './local.ts';

/** Time limit of all checks in seconds, without --timeout. */
const LIMIT_S = 60;

/** Milliseconds to connect, and from then to the response. */
const TIMEOUT_MS = 10_000;

/**
 * `doctor`: checks this machine, the settings, the connection to the service and the credentials.
 *
 * It reads files and sends GET requests; it changes nothing but a token that must be refreshed. Every check is made,
 * whatever the result of the others.
 */
export function doctorCommand(context: Context) {
  return new DescribedCommand('doctor', {
    effect: 'reads',
    exits: ['notLoggedIn', 'unavailable'],
    examples: ['doctor', 'doctor --profile chain --json', 'doctor --sandbox'],
  })
    .summary('check settings, network and credentials')
    .description(
      'Check files, settings, keyring, proxies, certificates, hosts, clock, token, user and page size. ' +
        'Exits with 0 if no check failed; otherwise with the first that applies of 2 (files and settings), ' +
        '4 (credentials), 7 (hosts) and 1.',
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
  const { version, node, platform, uid, env } = session.context;
  const machine = [
    ok('versions', `innctl ${version}, Node ${node}, ${platform}`),
    ...(await examineFiles(session.folders.config, uid)),
    examineTls(env),
  ];
  let settings: Settings;
  try {
    settings = session.settings();
  } catch (cause) {
    return [
      ...machine,
      failed('settings', cause),
      ...skippedAll(withoutSettings, 'the settings cannot be read'),
    ];
  }
  return [
    ...machine,
    ...examineSettings(settings),
    ...(await examineCommand(session, settings)),
    await examineKeyring(session, settings),
    ...(await examineNetwork(session, settings)),
  ];
}

const withoutSettings = [
  ...['keyring', 'proxy', 'certificate authorities', 'identity host', 'inventory host'],
  ...['clock', 'certificates', 'token', 'user', 'page size'],
];

async function examineNetwork(session: LocalSession, settings: Settings): Promise<readonly Finding[]> {
  const { context } = session;
  const limitMs = (settings.timeoutSeconds?.value ?? LIMIT_S) * 1_000;
  const begun = performance.now();
  const secondsLeft = () => Math.max(limitMs - (performance.now() - begun), 1) / 1_000;
  if (settings.sandbox) {
    const hosts = skipped('hosts', 'the sandbox is part of innctl');
    return [hosts, ...(await examineService(session, settings, secondsLeft()))];
  }
  const hosts = hostsOf(settings);
  const { finding, proxies } = examineProxies(context.env, hosts);
  for (const secret of proxies === undefined ? [] : secretsOf(proxies)) context.redactor.add(secret);
  const authorities = await examineAuthorities(settings, context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitMs)]);
  const reached = await examineConnections(hosts, proxies, settings, context, signal);
  const isClosed = reached.some(
    ({ check, status }) => check === 'inventory host' && status !== 'ok' && status !== 'warn',
  );
  const service = isClosed
    ? skippedService(skipped('token', 'the inventory host is not reached'))
    : await examineService(session, settings, secondsLeft());
  return [finding, ...authorities, ...reached, ...service];
}

/** @param proxies `undefined` if they are invalid. */
async function examineConnections(
  hosts: readonly Host[],
  proxies: Proxies | undefined,
  { caFile }: Settings,
  context: Context,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const checks = [...hosts.map(({ check }) => check), 'clock', 'certificates'];
  if (hosts.length === 0) return skippedAll(checks, 'no service is configured');
  if (proxies === undefined) return skippedAll(checks, 'the proxy settings are invalid');
  const file = caFile && { path: caFile.value, source: caFile.source };
  // A file that cannot be read is a finding of its own.
  const authorities = await readAuthorities(file, context.env).catch(() => undefined);
  if (authorities === undefined)
    return skippedAll(checks, 'the file of certificate authorities cannot be used');
  const transport = await context.connect({
    proxies,
    authorities,
    connectTimeoutMs: TIMEOUT_MS,
    headTimeoutMs: TIMEOUT_MS,
    idleTimeoutMs: TIMEOUT_MS,
  });
  try {
    return await examineHosts(hosts, { transport, context, signal });
  } finally {
    await transport.close();
  }
}

/** Page sizes to try; no known service allows more. */
const sizes = [1_000, 500, 200, 100];

/** Codes of errors that mean bad credentials, whatever their exit code. */
const ofCredentials = new Set(['not_logged_in', 'account_mismatch']);

/**
 * Whether the service accepts the token, who owns it, and how many records fit on a page. Sends reads, each once.
 *
 * @param timeoutSeconds for all of them.
 */
async function examineService(
  session: LocalSession,
  settings: Settings,
  timeoutSeconds: number,
): Promise<readonly Finding[]> {
  const limits = {
    timeoutSeconds: { value: timeoutSeconds, source: 'innctl doctor' },
    maxAttempts: { value: 1, source: 'innctl doctor' },
  };
  try {
    const { openConnection } = await import('../../cli/connection.ts');
    const { api, close } = await openConnection(session, { ...settings, ...limits });
    try {
      return await examineApi(api, session);
    } finally {
      await close();
    }
  } catch (cause) {
    session.context.signal.throwIfAborted();
    return skippedService(refused('token', cause));
  }
}

/** The checks of the service when the token was not accepted. */
function skippedService(token: Finding): readonly Finding[] {
  return [token, ...skippedAll(['user', 'page size'], 'no token was accepted')];
}

async function examineApi(api: Api, { context: { signal } }: LocalSession): Promise<readonly Finding[]> {
  const token = await examineToken(api);
  signal.throwIfAborted();
  if (token.status === 'fail') return skippedService(token);
  const user = await examineUser(api);
  signal.throwIfAborted();
  if (token.status === 'warn') return [token, user, skipped('page size', 'no property may be read')];
  const pages = await examinePages(api);
  signal.throwIfAborted();
  return [token, user, pages];
}

async function examineToken(api: Api): Promise<Finding> {
  try {
    await firstPage(api, 1);
    return ok('token', 'the service accepts it');
  } catch (cause) {
    const finding = refused('token', cause);
    if (!(cause instanceof CliError && cause.status === 403)) return finding;
    return { ...finding, status: 'warn', detail: `the service accepts it: ${cause.message}` };
  }
}

async function examineUser(api: Api): Promise<Finding> {
  const check = 'user';
  try {
    const { email, subject_id: subject } = await api.users.me();
    return ok(check, [email, subject].filter((each) => each !== undefined).join(', '));
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'no_user') return ok(check, 'client credentials: no user');
    if (cause.status === 403) return ok(check, 'no user, as with client credentials');
    return refused(check, cause);
  }
}

/** A service rejects a page that is too large, or silently cuts it: then the count is higher than the number of items. */
async function examinePages(api: Api): Promise<Finding> {
  const check = 'page size';
  for (const size of sizes) {
    try {
      const { items, total } = await firstPage(api, size);
      const isCut = items.length < size && total !== undefined && total > items.length;
      if (isCut) return ok(check, `up to ${items.length} properties per page; the service cuts larger pages`);
      return ok(
        check,
        `up to ${size} properties per page${items.length < size ? ` (there are ${items.length})` : ''}`,
      );
    } catch (cause) {
      const isTooLarge = cause instanceof CliError && [400, 413, 416, 422].includes(cause.status ?? 0);
      if (!isTooLarge) return refused(check, cause);
    }
  }
  return warn(check, `the service rejects a page of ${sizes.at(-1)} properties`);
}

async function firstPage(api: Api, pageSize: number): Promise<Page> {
  for await (const page of api.properties.list({}, { pageNumber: 1, pageSize })) return page;
  return { items: [], total: 0, truncated: false };
}

function refused(check: string, cause: unknown): Finding {
  if (!(cause instanceof CliError)) return failed(check, cause, ExitCode.failed);
  return failed(check, cause, ofCredentials.has(cause.code) ? ExitCode.notLoggedIn : cause.exitCode);
}
