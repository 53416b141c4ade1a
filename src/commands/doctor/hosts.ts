import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context, Transport, WireResponse } from '../../cli/ports.ts';
import type { Settings } from '../../config/resolve.ts';
import { parseHttpDate } from '../../model/dates.ts';
import { WireFailure } from '../../service/failures.ts';
import { failureError } from '../../service/refusal.ts';
import { type Finding, failed, ok, skipped, warn } from './finding.ts';

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
    clockIn(reached.flatMap(({ skewMs }) => skewMs ?? [])),
    await examineCertificates(secure, way),
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
    // The body is not needed.
    await answer.body[Symbol.asyncIterator]().return?.(undefined);
    const detail = `${new URL(url).host} answered with ${answer.status} in ${ended - begun} ms`;
    const finding = (answer.status >= 500 ? warn : ok)(check, detail);
    return { finding, skewMs: skewOf(answer, (begun + ended) / 2) };
  } catch (cause) {
    context.signal.throwIfAborted();
    return { finding: unreached(check, new URL(url), cause, signal), skewMs: undefined };
  }
}

function unreached(check: string, { host }: URL, cause: unknown, signal: AbortSignal): Finding {
  if (!(cause instanceof WireFailure)) {
    const reason = signal.aborted ? `${host} did not answer within the time limit` : cause;
    return failed(check, reason, ExitCode.unavailable);
  }
  const error = failureError(cause, `reach ${host}`);
  const finding = failed(check, error, ExitCode.unavailable);
  if (cause.kind !== 'tls') return finding;
  return { ...finding, hint: 'Trust the authority of its certificate: --ca-file <path>' };
}

/** Adds the age of a cached response to its date. */
function skewOf({ headers }: WireResponse, now: number): number | undefined {
  const date = parseHttpDate(headers['date'] ?? '');
  const age = Number(headers['age'] ?? 0);
  return date === undefined || Number.isNaN(age) ? undefined : now - date - age * 1_000;
}

function clockIn(skews: readonly number[]): Finding {
  const check = 'clock';
  if (skews.length === 0) return skipped(check, 'no host sent its time');
  const worst = skews.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one));
  const size = Math.abs(worst);
  if (size <= SKEW_WARN_MS) return ok(check, 'this clock agrees with the hosts');
  const detail = `this clock is ${Math.round(size / 1_000)} s ${worst > 0 ? 'ahead of' : 'behind'} a host`;
  const hint = 'Set this clock: tokens expire by the time of the service';
  return { check, status: size > SKEW_FAIL_MS ? 'fail' : 'warn', detail, hint };
}

async function examineCertificates(hosts: readonly Host[], { transport, context }: Way): Promise<Finding> {
  const check = 'certificates';
  const origins = [...new Set(hosts.map(({ url }) => new URL(url).origin))];
  const daysLeft = async (origin: string) => {
    const end = await transport.certificateEnd?.(origin).catch(() => undefined);
    return { host: new URL(origin).host, days: ((end ?? Number.NaN) - context.clock.now()) / DAY_MS };
  };
  const known = (await Promise.all(origins.map(daysLeft))).filter(({ days }) => !Number.isNaN(days));
  if (known.length === 0) return skipped(check, 'no host has one');
  const detail = known.map(({ host, days }) => `${host}: ${Math.floor(days)} days left`).join(', ');
  const isSoon = known.some(({ days }) => days < EXPIRY_WARN_DAYS);
  return isSoon ? warn(check, detail, 'Tell the operator of the host') : ok(check, detail);
}
