import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context, Transport, WireResponse } from '../../cli/ports.ts';
import type { Settings } from '../../config/resolve.ts';
import { parseHttpDate } from '../../model/dates.ts';
import { WireFailure } from '../../service/failures.ts';
import { failureError } from '../../service/refusal.ts';
import { type Finding, failed, found, type Verdict, warn } from './finding.ts';

/** A host of the service, and the name of its check. */
export type Host = ReturnType<typeof hostsOf>[number];

interface Way {
  readonly transport: Transport;
  readonly context: Context;
  /** Aborted by an interruption or the time limit. */
  readonly signal: AbortSignal;
}

/** Services reject tokens and signatures for a skew of less than five minutes. */
const SKEW_WARN_MS = 30_000;
const SKEW_FAIL_MS = 300_000;

const DAY_MS = 86_400_000;
/** Warn of a certificate that expires within this many days. */
const EXPIRY_WARN_DAYS = 14;

/** The hosts that a command with these settings connects to. */
export function hostsOf({ identityUrl, baseUrl, tokenUrl, auth, token }: Settings) {
  const isFetched = auth?.value === 'client-credentials' && token === undefined;
  return [
    { check: 'identity host', url: identityUrl?.value },
    { check: 'inventory host', url: baseUrl?.value },
    { check: 'token host', url: isFetched ? tokenUrl?.value : undefined },
  ].flatMap(({ check, url }) => (url === undefined ? [] : [{ check, url }]));
}

/** Sends each host a GET without a token; any response will do. Then compares clocks and checks certificates. */
export async function examineHosts(hosts: readonly Host[], way: Way): Promise<readonly Finding[]> {
  const reached = await Promise.all(hosts.map((host) => reach(host, way)));
  const findings = reached.map(({ finding }) => finding);
  const secure = hosts.filter(
    ({ url }, index) => url.startsWith('https:') && findings[index]?.status !== 'fail',
  );
  return [
    ...findings,
    found('clock', clockIn(reached.flatMap(({ skewMs }) => skewMs ?? []))),
    examineCertificates(secure, way),
  ];
}

/** @returns also the milliseconds by which this clock is ahead of the host's. */
async function reach({ check, url }: Host, { transport, context, signal }: Way) {
  const { clock, version } = context;
  const begun = clock.now();
  try {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `innctl/${version}`,
    };
    const answer = await transport.request({ method: 'GET', url, headers, signal });
    const ended = clock.now();
    const detail = `${new URL(url).host} answered with ${answer.status} in ${ended - begun} ms`;
    const finding = found(check, answer.status >= 500 ? warn(detail) : detail);
    return { finding, skewMs: skewOf(answer, (begun + ended) / 2) };
  } catch (cause) {
    context.signal.throwIfAborted();
    return { finding: found(check, unreached(new URL(url), cause, signal)), skewMs: undefined };
  }
}

function unreached({ host }: URL, cause: unknown, signal: AbortSignal): Verdict {
  if (!(cause instanceof WireFailure)) {
    const reason = signal.aborted ? `${host} did not answer within the time limit` : cause;
    return failed(reason, ExitCode.unavailable);
  }
  const hint = cause.kind === 'tls' ? 'Trust the authority of its certificate: --ca-file <path>' : undefined;
  return failed(failureError(cause, `reach ${host}`), ExitCode.unavailable, hint);
}

/** Adds the age of a cached response to its date. */
function skewOf({ headers }: WireResponse, now: number): number | undefined {
  const date = parseHttpDate(headers['date'] ?? '');
  const age = Number(headers['age'] ?? 0);
  return date === undefined || Number.isNaN(age) ? undefined : now - date - age * 1_000;
}

function clockIn(skews: readonly number[]): Verdict | string {
  if (skews.length === 0) return { status: 'skipped', detail: 'no host sent its time' };
  const worst = skews.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one));
  const size = Math.abs(worst);
  if (size <= SKEW_WARN_MS) return 'this clock agrees with the hosts';
  const detail = `this clock is ${Math.round(size / 1_000)} s ${worst > 0 ? 'ahead of' : 'behind'} a host`;
  const hint = 'Set this clock: tokens expire by the time of the service';
  return { status: size > SKEW_FAIL_MS ? 'fail' : 'warn', detail, hint };
}

function examineCertificates(hosts: readonly Host[], { transport, context }: Way): Finding {
  const name = 'certificates';
  const origins = [...new Set(hosts.map(({ url }) => new URL(url).origin))];
  const daysLeft = (origin: string) => {
    const end = transport.certificateEnd?.(origin);
    return { host: new URL(origin).host, days: ((end ?? Number.NaN) - context.clock.now()) / DAY_MS };
  };
  const known = origins.map(daysLeft).filter(({ days }) => !Number.isNaN(days));
  if (known.length === 0) return found(name, { status: 'skipped', detail: 'no host has one' });
  const detail = known.map(({ host, days }) => `${host}: ${Math.floor(days)} days left`).join(', ');
  const isSoon = known.some(({ days }) => days < EXPIRY_WARN_DAYS);
  return found(name, isSoon ? warn(detail, 'Tell the operator of the host') : detail);
}
