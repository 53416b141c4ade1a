import { X509Certificate } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { openVault } from '../../auth/vault.ts';
import { codeOf } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type Context, KeyringFailure, type Proxies } from '../../cli/ports.ts';
import type { LocalSession } from '../../cli/session.ts';
import { uncheckedTls } from '../../cli/way.ts';
import { credentialsPath, readCredential } from '../../config/credentials.ts';
import { configPath, readConfig } from '../../config/file.ts';
import type { Settings } from '../../config/resolve.ts';
import { checkTrust, octal } from '../../config/stored-file.ts';
import { staleLocksOf } from '../../fs/lock.ts';
import { reasonOf } from '../../fs/read.ts';
import { draftsOf } from '../../fs/replace.ts';
import { shellLine } from '../../out/text.ts';
import { readAuthorities } from '../../service/authorities.ts';
import { proxiesFrom, proxyFor } from '../../service/proxies.ts';
import { type Finding, failed, ok, skipped, tried, warn } from './finding.ts';
import type { Host } from './hosts.ts';

/** Writing takes milliseconds: an older draft was left by a process that was killed. */
const STALE_DRAFT_MS = 60_000;

/**
 * The settings folder, its files, and the leftovers of killed processes. Nothing is changed.
 *
 * @param uid who runs innctl; `undefined` on Windows.
 */
export function examineFiles(folder: string, uid: number | undefined): Promise<readonly Finding[]> {
  const config = configPath(folder);
  const credentials = credentialsPath(folder);
  const isFolder = (found: Stats) => {
    if (!found.isSymbolicLink() && !found.isDirectory()) throw new Error(`${folder} is not a folder`);
  };
  return Promise.all([
    examinePath('config folder', folder, uid, 'warn', isFolder),
    examinePath('config.json', config, uid, 'warn', () => readConfig(folder)),
    examinePath('credentials.json', credentials, uid, 'fail', () => readCredential(folder, '')),
    examineLeftovers([config, credentials]),
  ]);
}

/**
 * @param status of access by others.
 * @param verify throws when the content is wrong.
 */
function examinePath(
  check: string,
  path: string,
  uid: number | undefined,
  status: 'warn' | 'fail',
  verify: (found: Stats) => unknown,
): Promise<Finding> {
  return tried(check, () => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return ok(check, `${path} does not exist yet`);
    verify(found);
    if (found.isSymbolicLink()) {
      const hint = 'Replace the link with its target, or set INNCTL_CONFIG_DIR to the folder of the target';
      return warn(check, `${path} is a symbolic link; innctl does not write through it`, hint);
    }
    // Windows has no modes; there the folder of the user profile protects the files.
    if (uid === undefined) return ok(check, path);
    const bad = { check, status, exitCode: ExitCode.usage };
    if (uid !== found.uid)
      return { ...bad, detail: `${path} belongs to another user (${found.uid}; you are ${uid})` };
    if ((found.mode & 0o077) === 0) return ok(check, path);
    const detail = `${path} is open to others (mode ${octal(found.mode)})`;
    return { ...bad, detail, hint: shellLine(['chmod', 'go-rwx', path]) };
  });
}

function examineLeftovers(files: readonly string[]): Finding {
  const check = 'leftovers';
  try {
    const left = files.flatMap((path) => [...draftsOf(path, STALE_DRAFT_MS), ...staleLocksOf(path)]);
    if (left.length === 0) return ok(check, 'none');
    return warn(check, `a killed innctl left ${left.join(' and ')}; the next change removes it`);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return ok(check, 'none');
    return skipped(check, `the folder cannot be read: ${reasonOf(cause)}`);
  }
}

/** Whether Node checks certificates. */
export function examineTls(env: Context['env']): Finding {
  const unchecked = uncheckedTls(env);
  if (unchecked === undefined) return ok('TLS', 'certificates are checked');
  const hint = 'unset NODE_TLS_REJECT_UNAUTHORIZED; trust an authority of your own with --ca-file';
  return { ...failed('TLS', unchecked), hint };
}

/** The profile and the settings in effect, with their sources. */
export function examineSettings(settings: Settings): readonly Finding[] {
  const set = settings.effective.filter(
    ({ setting, source }) => source !== 'default' && setting.key !== 'profile',
  );
  const listed = set.map(({ setting, value, source }) => `${setting.key} ${value} (${source})`).join(', ');
  return [examineProfile(settings), ok('settings', listed || 'only defaults')];
}

function examineProfile({ profile, identityUrl, baseUrl }: Settings): Finding {
  if (profile !== undefined) return ok('profile', `${profile.value} (${profile.source})`);
  if (identityUrl !== undefined || baseUrl !== undefined)
    return ok('profile', 'none: the service is configured by the environment');
  const hint = 'Try it out with --sandbox, or log in at your service: innctl login';
  const missing = 'no profile is active, and no service is configured';
  return { ...failed('profile', missing, ExitCode.notLoggedIn), hint };
}

/** Whether the credential command of the profile may run. Does not run it. */
export async function examineCommand(
  { folders, context }: LocalSession,
  { credentialCommand }: Settings,
): Promise<readonly Finding[]> {
  if (credentialCommand?.source.startsWith('profile ') !== true) return [];
  const check = 'credential command';
  const finding = await tried(check, () => {
    const warning = checkTrust(configPath(folders.config), context.uid);
    return warning === undefined ? ok(check, credentialCommand.source) : warn(check, warning);
  });
  return [finding];
}

/** An account that does not exist. */
const PROBE = 'innctl doctor';

/** Whether the keyring of this system can be used, and whether it has the credential in effect. */
export async function examineKeyring(
  { folders, context }: LocalSession,
  { sandbox, profile, token, clientSecret, credentialCommand }: Settings,
): Promise<Finding> {
  const check = 'keyring';
  const given = token ?? clientSecret ?? credentialCommand;
  if (sandbox) return skipped(check, 'the sandbox does not use it');
  if (given !== undefined) return skipped(check, `not needed: the credential comes from ${given.source}`);
  if (profile === undefined) return probe(check, context);
  const name = profile.value;
  const examine = async () => {
    const vault = openVault(folders.config, name, context);
    const facts = vault.facts();
    if (facts === undefined) return probe(check, context);
    const hint = `innctl login --profile ${name}`;
    if (facts.keyring === undefined)
      return warn(check, `the credential of profile ${name} is stored unencrypted in credentials.json`, hint);
    if (Object.keys(await vault.secrets()).length > 0)
      return ok(check, `contains the credential of profile ${name}`);
    const missing = `works, but does not contain the credential of profile ${name}`;
    return { ...failed(check, missing, ExitCode.notLoggedIn), hint };
  };
  return tried(check, examine, ExitCode.notLoggedIn);
}

/** Without stored secrets an unusable keyring is only a warning. */
async function probe(check: string, { keyring }: Context): Promise<Finding> {
  try {
    await keyring.read(PROBE);
    return ok(check, 'works; contains nothing of this profile');
  } catch (cause) {
    const reason = cause instanceof KeyringFailure ? cause.message : `fails: ${reasonOf(cause)}`;
    return warn(check, `the keyring of this system ${reason}`);
  }
}

/** The proxy to each host, without its password. `proxies` is `undefined` if they are invalid. */
export function examineProxies(
  env: Context['env'],
  hosts: readonly Host[],
): { readonly finding: Finding; readonly proxies: Proxies | undefined } {
  try {
    const proxies = proxiesFrom(env);
    const routes = hosts.map(({ url }) => {
      const { host } = new URL(url);
      const proxy = proxyFor(proxies, new URL(url));
      if (proxy === undefined) return `${host} directly`;
      return `${host} through ${proxy.origin}${proxy.authorization === undefined ? '' : ' with a user name and password'}`;
    });
    return { finding: ok('proxy', [...new Set(routes)].join(', ') || 'no host is known'), proxies };
  } catch (cause) {
    return { finding: failed('proxy', cause), proxies: undefined };
  }
}

/** The files of certificate authorities that are trusted besides those of Node. */
export async function examineAuthorities(
  { caFile }: Settings,
  { env, clock }: Context,
): Promise<readonly Finding[]> {
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  const files = [
    ...(caFile === undefined ? [] : [{ path: caFile.value, source: caFile.source, status: 'fail' as const }]),
    // Node only warns about this file.
    ...(extra === '' ? [] : [{ path: extra, source: 'NODE_EXTRA_CA_CERTS', status: 'warn' as const }]),
  ];
  const check = 'certificate authorities';
  if (files.length === 0) return [ok(check, 'only those of Node')];
  return Promise.all(
    files.map(async ({ path, source, status }) => {
      const finding = await tried(check, async () => {
        const pems = await readAuthorities({ path, source }, {});
        const isExpired = (pem: string) => Date.parse(new X509Certificate(pem).validTo) < clock.now();
        const expired = pems.filter(isExpired).length;
        // The bundle of a system always has some expired ones.
        const isUsable = expired === 0 || (status === 'warn' && expired < pems.length);
        const detail = `${path} (${source}): certificates: ${pems.length}, expired: ${expired}`;
        return (isUsable ? ok : warn)(check, detail);
      });
      return finding.status === 'fail' ? { ...finding, status } : finding;
    }),
  );
}
