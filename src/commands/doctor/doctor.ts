import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context, Proxies } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession } from '../../cli/session.ts';
import { openTransport } from '../../cli/way.ts';
import type { Settings } from '../../config/resolve.ts';
import { onePage, type Page } from '../../model/records.ts';
import type { Api } from '../../service/service.ts';
import {
  check,
  exitCodeOf,
  type Finding,
  failed,
  findingShape,
  found,
  skipped,
  type Verdict,
  warn,
} from './finding.ts';
import { examineHosts, type Host, hostsOf } from './hosts.ts';
import {
  examineAuthorities,
  examineFiles,
  examineKeyring,
  examineProxies,
  examineSettings,
  examineTls,
} from './local.ts';

/** Time limit of all checks in seconds, without --timeout. */
const LIMIT_S = 60;

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
    found('versions', `innctl ${version}, Node ${node}, ${platform}`),
    ...(await examineFiles(session.folders.config, uid)),
    examineTls(env),
  ];
  let settings: Settings;
  try {
    settings = session.settings();
  } catch (cause) {
    const unread = skipped(withoutSettings, 'the settings cannot be read');
    return [...machine, found('settings', failed(cause, ExitCode.usage)), ...unread];
  }
  return [
    ...machine,
    ...examineSettings(settings),
    await examineKeyring(session, settings),
    ...(await examineNetwork(session, settings)),
  ];
}

const ofService = ['user', 'page size'];

const withoutSettings = [
  ...['keyring', 'proxy', 'certificate authorities', 'identity host', 'inventory host'],
  ...['clock', 'certificates', 'token', ...ofService],
];

async function examineNetwork(session: LocalSession, settings: Settings): Promise<readonly Finding[]> {
  const { context } = session;
  const limitMs = (settings.timeoutSeconds?.value ?? LIMIT_S) * 1_000;
  const begun = performance.now();
  const secondsLeft = () => Math.max(limitMs - (performance.now() - begun), 1) / 1_000;
  if (settings.sandbox) {
    const hosts = skipped(['hosts'], 'the sandbox is part of innctl');
    return [...hosts, ...(await examineService(session, settings, secondsLeft()))];
  }
  const hosts = hostsOf(settings);
  const { finding, proxies } = examineProxies(context, hosts);
  const authorities = await examineAuthorities(settings, context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitMs)]);
  const reached = await examineConnections(hosts, proxies, settings, context, signal);
  const isClosed = reached.some(
    ({ check: name, status }) => name === 'inventory host' && status !== 'ok' && status !== 'warn',
  );
  const service = isClosed
    ? withoutToken(...skipped(['token'], 'the inventory host is not reached'))
    : await examineService(session, settings, secondsLeft());
  return [finding, ...authorities, ...reached, ...service];
}

/** @param proxies `undefined` if they are invalid. */
async function examineConnections(
  hosts: readonly Host[],
  proxies: Proxies | undefined,
  settings: Settings,
  context: Context,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const checks = [...hosts.map(({ check: name }) => name), 'clock', 'certificates'];
  if (hosts.length === 0) return skipped(checks, 'no service is configured');
  if (proxies === undefined) return skipped(checks, 'the proxy settings are invalid');
  // What prevents it is a finding of its own.
  const transport = await openTransport(context, settings, proxies).catch(() => undefined);
  if (transport === undefined)
    return skipped(checks, 'TLS or the file of certificate authorities cannot be used');
  try {
    return await examineHosts(hosts, { transport, context, signal });
  } finally {
    await transport.close();
  }
}

/** Page sizes to try; no known service allows more. */
const sizes = [1_000, 500, 200, 100];

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
  const source = 'innctl doctor';
  const limits = { timeoutSeconds: { value: timeoutSeconds, source }, maxAttempts: { value: 1, source } };
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
    return withoutToken(found('token', failed(cause)));
  }
}

function withoutToken(...token: readonly Finding[]): readonly Finding[] {
  return [...token, ...skipped(ofService, 'no token was accepted')];
}

async function examineApi(api: Api, { context: { signal } }: LocalSession): Promise<readonly Finding[]> {
  const token = await check('token', undefined, () => tokenVerdict(api));
  signal.throwIfAborted();
  if (token.status === 'fail') return withoutToken(token);
  const user = await check('user', undefined, () => userVerdict(api));
  signal.throwIfAborted();
  if (token.status === 'warn') return [token, user, ...skipped(['page size'], 'no property may be read')];
  const pages = await check('page size', undefined, () => pagesVerdict(api));
  signal.throwIfAborted();
  return [token, user, pages];
}

async function tokenVerdict(api: Api): Promise<Verdict | string> {
  try {
    await firstPage(api, 1);
    return 'the service accepts it';
  } catch (cause) {
    if (!(cause instanceof CliError && cause.status === 403)) throw cause;
    return { ...failed(cause), status: 'warn', detail: `the service accepts it: ${cause.message}` };
  }
}

async function userVerdict(api: Api): Promise<string> {
  try {
    const { email, subject_id: subject } = await api.users.me();
    return [email, subject].filter((each) => each !== undefined).join(', ');
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'no_user') return 'client credentials: no user';
    if (cause.status === 403) return 'no user, as with client credentials';
    throw cause;
  }
}

/** A service rejects a page that is too large, or silently cuts it: then the count is higher than the number of items. */
async function pagesVerdict(api: Api): Promise<Verdict | string> {
  for (const size of sizes) {
    try {
      const { items, total } = await firstPage(api, size);
      const isCut = items.length < size && total !== undefined && total > items.length;
      if (isCut) return `up to ${items.length} properties per page; the service cuts larger pages`;
      return `up to ${size} properties per page${items.length < size ? ` (there are ${items.length})` : ''}`;
    } catch (cause) {
      const isTooLarge = cause instanceof CliError && [400, 413, 416, 422].includes(cause.status ?? 0);
      if (!isTooLarge) throw cause;
    }
  }
  return warn(`the service rejects a page of ${sizes.at(-1)} properties`);
}

async function firstPage(api: Api, pageSize: number): Promise<Page> {
  for await (const page of api.properties.list({}, { pageNumber: 1, pageSize })) return page;
  return { items: [], total: 0, truncated: false };
}
