import { X509Certificate } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { openVault } from '../../auth/vault.ts';
import { codeOf } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type Context, KeyringFailure } from '../../cli/ports.ts';
import type { LocalSession } from '../../cli/session.ts';
import { proxiesOf, uncheckedTls } from '../../cli/way.ts';
import { credentialsPath, readCredential } from '../../config/credentials.ts';
import { configPath, readConfig } from '../../config/file.ts';
import type { Settings } from '../../config/resolve.ts';
import { octal } from '../../config/stored-file.ts';
import { staleLocksOf } from '../../fs/lock.ts';
import { reasonOf } from '../../fs/read.ts';
import { draftsOf } from '../../fs/replace.ts';
import { shellLine } from '../../print/text.ts';
import { readAuthorities } from '../../service/authorities.ts';
import { proxyFor } from '../../service/proxies.ts';
import { check, type Finding, failed, found, type Verdict, warn } from './finding.ts';
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
  const isFolder = (stats: Stats) => {
    if (!stats.isSymbolicLink() && !stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  };
  return Promise.all([
    examinePath('config folder', folder, uid, 'warn', isFolder),
    examinePath('config.json', config, uid, 'warn', () => readConfig(folder)),
    examinePath('credentials.json', credentials, uid, 'fail', () => readCredential(folder, '')),
    found('leftovers', leftoversOf([config, credentials])),
  ]);
}

/**
 * @param status of access by others.
 * @param verify throws when the content is wrong.
 */
function examinePath(
  name: string,
  path: string,
  uid: number | undefined,
  status: 'warn' | 'fail',
  verify: (stats: Stats) => unknown,
): Promise<Finding> {
  return check(name, ExitCode.usage, () => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return `${path} does not exist yet`;
    verify(stats);
    if (stats.isSymbolicLink()) {
      const hint = 'Replace the link with its target, or set INNCTL_CONFIG_DIR to the folder of the target';
      return warn(`${path} is a symbolic link; innctl does not write through it`, hint);
    }
    const bad = { status, exitCode: ExitCode.usage };
    // Windows has no modes; there the folder of the user profile protects the files.
    if (uid !== undefined && uid !== stats.uid)
      return { ...bad, detail: `${path} belongs to another user (${stats.uid}; you are ${uid})` };
    if (uid === undefined || (stats.mode & 0o077) === 0) return path;
    const detail = `${path} is open to others (mode ${octal(stats.mode)})`;
    return { ...bad, detail, hint: shellLine(['chmod', 'go-rwx', path]) };
  });
}

function leftoversOf(files: readonly string[]): Verdict | string {
  try {
    const left = files.flatMap((path) => [...draftsOf(path, STALE_DRAFT_MS), ...staleLocksOf(path)]);
    if (left.length === 0) return 'none';
    return warn(`a killed innctl left ${left.join(' and ')}; the next change removes it`);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return 'none';
    return { status: 'skipped', detail: `the folder cannot be read: ${reasonOf(cause)}` };
  }
}

/** Whether Node checks certificates. */
export function examineTls(env: Context['env']): Finding {
  const unchecked = uncheckedTls(env);
  const hint = 'unset NODE_TLS_REJECT_UNAUTHORIZED; trust an authority of your own with --ca-file';
  const bad = unchecked === undefined ? undefined : failed(unchecked, ExitCode.usage, hint);
  return found('TLS', bad ?? 'certificates are checked');
}

/** The profile and the settings in effect, with their sources. */
export function examineSettings(settings: Settings): readonly Finding[] {
  const set = settings.effective.filter(
    ({ setting, source }) => source !== 'default' && setting.key !== 'profile',
  );
  const listed = set.map(({ setting, value, source }) => `${setting.key} ${value} (${source})`).join(', ');
  return [found('profile', profileIn(settings)), found('settings', listed || 'only defaults')];
}

function profileIn({ profile, identityUrl, baseUrl }: Settings): Verdict | string {
  if (profile !== undefined) return `${profile.value} (${profile.source})`;
  if (identityUrl !== undefined || baseUrl !== undefined)
    return 'none: the service is configured by the environment';
  const hint = 'Try it out with --sandbox, or log in at your service: innctl login';
  return failed('no profile is active, and no service is configured', ExitCode.notLoggedIn, hint);
}

/** An account that does not exist. */
const PROBE = 'innctl doctor';

/** Whether the keyring of this system can be used, and whether it has the credential in effect. */
export function examineKeyring(session: LocalSession, settings: Settings): Promise<Finding> {
  return check('keyring', ExitCode.notLoggedIn, () => keyringVerdict(session, settings));
}

async function keyringVerdict(
  { folders, context }: LocalSession,
  { sandbox, profile, token, clientSecret }: Settings,
): Promise<Verdict | string> {
  const given = token ?? clientSecret;
  if (sandbox) return { status: 'skipped', detail: 'the sandbox does not use it' };
  if (given !== undefined)
    return { status: 'skipped', detail: `not needed: the credential comes from ${given.source}` };
  const name = profile?.value;
  const vault = name === undefined ? undefined : openVault(folders.config, name, context);
  const facts = vault?.facts();
  if (vault === undefined || facts === undefined) return probe(context);
  const hint = `innctl login --profile ${name}`;
  if (facts.keyring === undefined)
    return warn(`the credential of profile ${name} is stored unencrypted in credentials.json`, hint);
  const secrets = await vault.secrets();
  // A login without a refresh token has an access token alone.
  if (Object.keys(secrets).length > 0 || facts.cached_token !== undefined)
    return `contains the credential of profile ${name}`;
  const missing = `works, but does not contain the credential of profile ${name}`;
  return failed(missing, ExitCode.notLoggedIn, hint);
}

/** Without stored secrets an unusable keyring is only a warning. */
async function probe({ keyring }: Context): Promise<Verdict | string> {
  try {
    await keyring.read(PROBE);
    return 'works; contains nothing of this profile';
  } catch (cause) {
    const reason = cause instanceof KeyringFailure ? cause.message : `fails: ${reasonOf(cause)}`;
    return warn(`the keyring of this system ${reason}`);
  }
}

/** The proxy to each host, without its password. `proxies` is `undefined` if they are invalid. */
export function examineProxies(context: Context, hosts: readonly Host[]) {
  try {
    const proxies = proxiesOf(context);
    const routes = hosts.map(({ url }) => {
      const { host } = new URL(url);
      const proxy = proxyFor(proxies, new URL(url));
      if (proxy === undefined) return `${host} directly`;
      return `${host} through ${proxy.origin}${proxy.authorization === undefined ? '' : ' with a user name and password'}`;
    });
    return { finding: found('proxy', [...new Set(routes)].join(', ') || 'no host is known'), proxies };
  } catch (cause) {
    return { finding: found('proxy', failed(cause, ExitCode.usage)), proxies: undefined };
  }
}

/** The files of certificate authorities that are trusted besides those of Node. */
export async function examineAuthorities(
  { caFile }: Settings,
  { env, clock }: Context,
): Promise<readonly Finding[]> {
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  const files = [
    ...(caFile === undefined ? [] : [{ path: caFile.value, source: caFile.source, isOurs: true }]),
    ...(extra === '' ? [] : [{ path: extra, source: 'NODE_EXTRA_CA_CERTS', isOurs: false }]),
  ];
  const name = 'certificate authorities';
  if (files.length === 0) return [found(name, 'only those of Node')];
  return Promise.all(
    files.map(async ({ path, source, isOurs }) => {
      const finding = await check(name, ExitCode.usage, async () => {
        const pems = await readAuthorities({ path, source }, {});
        const isExpired = (pem: string) => Date.parse(new X509Certificate(pem).validTo) < clock.now();
        const expired = pems.filter(isExpired).length;
        // The bundle of a system always has some expired ones.
        const isUsable = expired === 0 || (!isOurs && expired < pems.length);
        const detail = `${path} (${source}): certificates: ${pems.length}, expired: ${expired}`;
        return isUsable ? detail : warn(detail);
      });
      // Node only warns about its file.
      return finding.status === 'fail' && !isOurs ? { ...finding, status: 'warn' } : finding;
    }),
  );
}
