import { X509Certificate } from 'node:crypto';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Proxies } from '../../cli/ports.ts';
import type { LocalSession } from '../../cli/session.ts';
import { uncheckedTls } from '../../cli/way.ts';
import type { Effective } from '../../config/reader.ts';
import type { Settings } from '../../config/resolve.ts';
import { checkTrust } from '../../config/trust.ts';
import { reasonOf } from '../../fs/read.ts';
import { readAuthorities } from '../../service/authorities.ts';
import { proxiesFrom, proxyFor } from '../../service/proxies.ts';
import { type Finding, failed } from './doctor.ts';

/** Which profile and which settings are in force, and where each of them comes from. */
export function examineSettings({ settings }: LocalSession): {
  readonly findings: readonly Finding[];
  readonly settings: Settings | undefined;
} {
  try {
    const found = settings();
    return {
      settings: found,
      findings: [profileIn(found), { check: 'settings', status: 'ok', detail: inWords(found.effective) }],
    };
  } catch (cause) {
    return { settings: undefined, findings: [failed('settings', cause, ExitCode.usage)] };
  }
}

function profileIn({ profile, identityUrl, baseUrl }: Settings): Finding {
  const check = 'profile';
  if (profile !== undefined) return { check, status: 'ok', detail: `${profile.value} (${profile.source})` };
  if (identityUrl !== undefined || baseUrl !== undefined)
    return { check, status: 'ok', detail: 'none: the environment says where the service is' };
  return {
    check,
    status: 'fail',
    detail: 'no profile is active, and no service is configured',
    hint: 'Try it out with --sandbox, or log in at your service: innctl login',
    exitCode: ExitCode.notLoggedIn,
  };
}

function inWords(effective: readonly Effective[]): string {
  const given = effective.filter(({ setting, source }) => source !== 'default' && setting.key !== 'profile');
  return (
    given.map(({ setting, value, source }) => `${setting.key} ${value} (${source})`).join(', ') ||
    'defaults alone'
  );
}

/** Whether the command of a profile may be run; it is not. */
export function examineCommand(
  { credentialCommand }: Settings,
  path: string,
  uid: number | undefined,
): readonly Finding[] {
  if (credentialCommand?.source.startsWith('profile ') !== true) return [];
  const check = 'credential command';
  try {
    const warning = checkTrust(path, uid);
    const { source } = credentialCommand;
    return [
      warning === undefined
        ? { check, status: 'ok', detail: source }
        : { check, status: 'warn', detail: warning },
    ];
  } catch (cause) {
    return [failed(check, cause, ExitCode.usage)];
  }
}

/** What stands between innctl and these URLs; passwords of proxies are not shown. */
export function examineProxies(
  env: Readonly<Record<string, string | undefined>>,
  urls: readonly string[],
): { readonly finding: Finding; readonly proxies: Proxies | undefined } {
  const check = 'proxy';
  try {
    const proxies = proxiesFrom(env);
    const ways = urls.map((url) => {
      const { host } = new URL(url);
      const proxy = proxyFor(proxies, new URL(url));
      if (proxy === undefined) return `${host} directly`;
      return `${host} through ${proxy.origin}${proxy.authorization === undefined ? '' : ' with a user name and password'}`;
    });
    const detail = [...new Set(ways)].join(', ') || 'no host is known';
    return { finding: { check, status: 'ok', detail }, proxies };
  } catch (cause) {
    return { finding: failed(check, cause, ExitCode.usage), proxies: undefined };
  }
}

/** Whether certificates are checked at all. */
export function examineTls(env: LocalSession['context']['env']): Finding {
  const check = 'TLS';
  const unchecked = uncheckedTls(env);
  if (unchecked === undefined) return { check, status: 'ok', detail: 'certificates are checked' };
  const hint = 'unset NODE_TLS_REJECT_UNAUTHORIZED; --ca-file trusts an authority of your own';
  return { check, status: 'fail', detail: unchecked, hint, exitCode: ExitCode.usage };
}

/** The files of certificates that are trusted beside Node's own. */
export async function examineAuthorities(
  { caFile }: Settings,
  { env, clock }: LocalSession['context'],
): Promise<readonly Finding[]> {
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  const files = [
    ...(caFile === undefined ? [] : [{ path: caFile.value, source: caFile.source, status: 'fail' as const }]),
    // Node warns of it, and goes on.
    ...(extra === '' ? [] : [{ path: extra, source: 'NODE_EXTRA_CA_CERTS', status: 'warn' as const }]),
  ];
  const check = 'certificate authorities';
  if (files.length === 0) return [{ check, status: 'ok', detail: "Node's own alone" }];
  return Promise.all(
    files.map(async ({ path, source, status }): Promise<Finding> => {
      try {
        const ends = (await readAuthorities({ path, source }, {})).map(endOf);
        const expired = ends.filter((end) => end < clock.now()).length;
        const detail = `${path} (${source}) has ${ends.length}, of which ${expired || 'none'} ${expired === 1 ? 'has' : 'have'} expired`;
        // The bundle of a system always has some.
        const isUsable = expired === 0 || (status === 'warn' && expired < ends.length);
        return { check, status: isUsable ? 'ok' : 'warn', detail };
      } catch (cause) {
        return { ...failed(check, cause, ExitCode.usage), status, detail: reasonOf(cause) };
      }
    }),
  );
}

function endOf(pem: string): number {
  return Date.parse(new X509Certificate(pem).validTo);
}
