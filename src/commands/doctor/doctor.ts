import { openVault } from '../../auth/vault.ts';
import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError, type CliErrorOptions, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type Context, KeyringFailure, type Proxies } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession } from '../../cli/session.ts';
import { lookUpCredential } from '../../config/credentials.ts';
import { configPath } from '../../config/file.ts';
import type { Settings } from '../../config/resolve.ts';
import { reasonOf } from '../../fs/read.ts';
import { onePage } from '../../model/records.ts';
import type { Shape } from '../../out/output.ts';
import { readAuthorities } from '../../service/authorities.ts';
import { secretsOf } from '../../service/proxies.ts';
import { examineFiles } from './files.ts';
import { examineHosts, type Host, hostsOf } from './hosts.ts';
import {
  examineAuthorities,
  examineCommand,
  examineProxies,
  examineSettings,
  examineTls,
} from './in-force.ts';
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

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly detail: string;
  /** Something to type next. */
  readonly hint?: string | undefined;
  /** The service's own number for the request that failed. */
  readonly request_id?: string | undefined;
  /** What a run ends with where this failed; 1 otherwise. */
  readonly exitCode?: ExitCode | undefined;
}

/** How findings are listed. */
const findingShape: Shape = {
  noun: ['check', 'checks'],
  columns: [
    { field: 'check', header: 'Check' },
    {
      field: 'status',
      header: 'Status',
      tones: new Map([
        ['fail', 'error'],
        ['warn', 'warning'],
        ['skipped', 'hint'],
      ]),
    },
    { field: 'detail', header: 'Detail' },
    { field: 'hint', header: 'Hint' },
  ],
  others: ['request_id'],
};

/** The gravest first: what is wrong there may be the reason of everything behind it. */
const gravest: readonly ExitCode[] = [ExitCode.usage, ExitCode.notLoggedIn, ExitCode.unavailable];

/** How the run ends: settings before credentials before hosts before anything else; 0 where nothing failed. */
function verdictOf(findings: readonly Finding[]): ExitCode {
  const codes = findings.flatMap(({ status, exitCode = ExitCode.failed }) =>
    status === 'fail' ? [exitCode] : [],
  );
  if (codes.length === 0) return ExitCode.done;
  return gravest.find((code) => codes.includes(code)) ?? ExitCode.failed;
}

/** A check that failed with an error. */
export function failed(check: string, cause: unknown, exitCode: ExitCode): Finding {
  const { hint, requestId }: CliErrorOptions = cause instanceof CliError ? cause : {};
  return { check, status: 'fail', detail: reasonOf(cause), hint, request_id: requestId, exitCode };
}

/** A check that could not be made. */
export function skipped(check: string, detail: string): Finding {
  return { check, status: 'skipped', detail };
}

const CHECK = 'keyring';

/** An account that nobody has. */
const PROBE = 'innctl doctor';

/** Whether the keyring of this system can be used, and whether the credential in force is in it. */
async function examineKeyring(
  { folders, context }: LocalSession,
  { sandbox, profile, token, clientSecret, credentialCommand }: Settings,
): Promise<Finding> {
  const given = [token, clientSecret, credentialCommand].find((each) => each !== undefined);
  if (sandbox) return skipped(CHECK, 'the sandbox keeps nothing in it');
  if (given !== undefined) return skipped(CHECK, `not needed: the credential comes from ${given.source}`);
  if (profile === undefined) return probe(context);
  const name = profile.value;
  try {
    const vault = openVault(folders.config, name, context, lookUpCredential);
    const facts = vault.facts();
    if (facts === undefined) return probe(context);
    const hint = `innctl login --profile ${name}`;
    if (facts.keyring === undefined) {
      const detail = `the credential of profile ${name} stands unencrypted in credentials.json`;
      return { check: CHECK, status: 'warn', detail, hint };
    }
    const isThere = Object.keys(await vault.secrets()).length > 0;
    if (isThere) return { check: CHECK, status: 'ok', detail: `it has the credential of profile ${name}` };
    const detail = `it can be used, and has no credential of profile ${name}`;
    return { check: CHECK, status: 'fail', detail, hint, exitCode: ExitCode.notLoggedIn };
  } catch (cause) {
    return failed(CHECK, cause, ExitCode.notLoggedIn);
  }
}

/** Nothing is in it yet: that it cannot be used is no failure. */
async function probe({ keyring }: LocalSession['context']): Promise<Finding> {
  try {
    await keyring.read(PROBE);
    return { check: CHECK, status: 'ok', detail: 'it can be used; nothing of this profile is in it' };
  } catch (cause) {
    const detail = `the keyring of this system ${cause instanceof KeyringFailure ? cause.message : `fails: ${reasonOf(cause)}`}`;
    return { check: CHECK, status: 'warn', detail };
  }
}
