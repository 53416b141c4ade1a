import { configPath } from '../../config/file.ts';
import type { Settings } from '../../config/resolve.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { Concluded } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { readAuthorities } from '../../files/authorities.ts';
import { secretsOf } from '../../http/proxies.ts';
import { onePage } from '../../records.ts';
import { type LocalSession, withLocalSession } from '../../session.ts';
import type { Proxies } from '../../transport.ts';
import { examineFiles } from './files.ts';
import { type Finding, findingShape, skipped, verdictOf } from './finding.ts';
import { examineHosts, type Host, hostsOf } from './hosts.ts';
import {
  examineAuthorities,
  examineCommand,
  examineProxies,
  examineSettings,
  examineTls,
} from './in-force.ts';
import { examineKeyring } from './keyring.ts';
import { examineService, unexamined } from './service.ts';

/** Seconds for all checks together, where --timeout gives no others. */
const LIMIT_S = 60;

/** Milliseconds to connect, and from then to the answer. */
const PATIENCE_MS = 10_000;

/**
 * `doctor`: whether this machine, its settings, the way to the service and the credentials are in order.
 *
 * It reads files and sends GET requests; it changes nothing but a token that has to be renewed. Every check is made, whatever
 * the others find. Where several fail, the exit code is that of the gravest: 2 for files and settings, 4 for the
 * credential, 7 for a host that is not reached, 1 for anything else.
 */
export function doctorCommand(context: Context) {
  return new DescribedCommand('doctor', {
    effect: 'reads',
    exits: ['notLoggedIn', 'unavailable'],
    examples: ['doctor', 'doctor --profile chain --json', 'doctor --sandbox'],
  })
    .summary('check settings, network and credentials')
    .description(
      'Check files, settings, keyring, proxies, certificates, hosts, clock, token, user and page size, and change none of them. ' +
        'Exit code 0 when nothing failed; otherwise the first that applies of 2 (files and settings), 4 (credentials), 7 (hosts) and 1.',
    )
    .action(
      withLocalSession(
        context,
        async (session) => {
          const findings = await examine(session);
          const rows = findings.map(({ exitCode: _, ...finding }) => finding);
          await session.out.records(findingShape, onePage(rows));
          const exitCode = verdictOf(findings);
          if (exitCode !== ExitCode.done) throw new Concluded(exitCode);
        },
        false,
      ),
    );
}

async function examine(session: LocalSession): Promise<readonly Finding[]> {
  const { context, folders } = session;
  // What is read later could already be mended.
  const here = [versionsOf(context), ...examineFiles(folders.config, context.uid), examineTls(context.env)];
  const { findings, settings } = examineSettings(session);
  if (settings === undefined) return [...here, ...findings, ...unknown];
  const command = examineCommand(settings, configPath(folders.config), context.uid);
  const local = [...here, ...findings, ...command];
  const keyring = await examineKeyring(session, settings);
  return [...local, keyring, ...(await examineNetwork(session, settings))];
}

function versionsOf({ version, node, platform }: Context): Finding {
  return { check: 'versions', status: 'ok', detail: `innctl ${version}, Node ${node}, ${platform}` };
}

const unknown = [
  'keyring',
  'proxy',
  'certificate authorities',
  'identity host',
  'inventory host',
  'clock',
  'certificates',
  'token',
  'user',
  'page size',
].map((check) => skipped(check, 'the settings cannot be read'));

async function examineNetwork(session: LocalSession, settings: Settings): Promise<readonly Finding[]> {
  const { context } = session;
  const limitMs = (settings.timeoutSeconds?.value ?? LIMIT_S) * 1_000;
  const begun = performance.now();
  const secondsLeft = () => Math.max(limitMs - (performance.now() - begun), 1) / 1_000;
  if (settings.sandbox) {
    const hosts = skipped('hosts', 'the sandbox is in this program');
    return [hosts, ...(await examineService(session, settings, secondsLeft()))];
  }
  const hosts = hostsOf(settings);
  const { finding, proxies } = examineProxies(
    context.env,
    hosts.map(({ url }) => url),
  );
  for (const secret of proxies === undefined ? [] : secretsOf(proxies)) context.redactor.add(secret);
  const authorities = await examineAuthorities(settings, context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitMs)]);
  const reached = await examineReach(hosts, { session, settings, proxies, signal });
  const isClosed = reached.some(
    ({ check, status }) => check === 'inventory host' && status !== 'ok' && status !== 'warn',
  );
  const service = isClosed
    ? unexamined(skipped('token', 'the inventory host is not reached'))
    : await examineService(session, settings, secondsLeft());
  return [finding, ...authorities, ...reached, ...service];
}

interface Way {
  readonly session: LocalSession;
  readonly settings: Settings;
  /** `undefined` where they cannot be read. */
  readonly proxies: Proxies | undefined;
  readonly signal: AbortSignal;
}

async function examineReach(
  hosts: readonly Host[],
  { session, settings, proxies, signal }: Way,
): Promise<readonly Finding[]> {
  const { context } = session;
  const { caFile } = settings;
  const none = (detail: string) =>
    [...hosts.map(({ check }) => check), 'clock', 'certificates'].map((check) => skipped(check, detail));
  if (hosts.length === 0) return none('no service is configured');
  if (proxies === undefined) return none('the proxy cannot be read');
  // What is wrong with the file is a finding of its own.
  const authorities = await readAuthorities(
    caFile && { path: caFile.value, source: caFile.source },
    context.env,
  ).catch(() => undefined);
  if (authorities === undefined) return none('the file of certificate authorities cannot be used');
  const transport = await context.connect({
    proxies,
    authorities,
    connectTimeoutMs: PATIENCE_MS,
    headTimeoutMs: PATIENCE_MS,
    idleTimeoutMs: PATIENCE_MS,
  });
  try {
    return await examineHosts(hosts, { transport, context, signal });
  } finally {
    await transport.close();
  }
}
