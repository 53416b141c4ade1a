import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context, Transport, WireResponse } from '../../cli/ports.ts';
import type { Settings } from '../../config/resolve.ts';
import { WireFailure } from '../../service/failures.ts';
import { failureError } from '../../service/refusal.ts';
import { parseHttpDate } from '../../service/retry.ts';
import { type Finding, failed, skipped } from './doctor.ts';

/** A host of the run, and what the check of it is called. */
export interface Host {
  readonly check: string;
  readonly url: string;
}

/** What a host was asked with. */
interface Way {
  readonly transport: Transport;
  readonly context: Context;
  /** Ends the asking: the run is interrupted, or its time is over. */
  readonly signal: AbortSignal;
}

/** What was found of one host. */
interface Reached {
  readonly finding: Finding;
  /** How far this clock is ahead of the host's, in milliseconds. */
  readonly skewMs?: number | undefined;
}

/** Tokens and signatures are refused for less than five minutes; half a minute is no accident. */
const SKEW_WARN_MS = 30_000;
const SKEW_FAIL_MS = 300_000;

const DAY_MS = 86_400_000;
/** A certificate that ends within so many days. */
const SOON_DAYS = 14;

/** The hosts that a run with these settings speaks to. */
export function hostsOf({ identityUrl, baseUrl, tokenUrl, auth, token }: Settings): readonly Host[] {
  const isFetched = auth?.value === 'client-credentials' && token === undefined;
  return [
    { check: 'identity host', url: identityUrl?.value },
    { check: 'inventory host', url: baseUrl?.value },
    { check: 'token host', url: isFetched ? tokenUrl?.value : undefined },
  ].flatMap(({ check, url }) => (url === undefined ? [] : [{ check, url }]));
}

/** Asks every host for its address without a token: any answer will do. Then the clocks, and the certificates. */
export async function examineHosts(hosts: readonly Host[], way: Way): Promise<readonly Finding[]> {
  const reached = await Promise.all(hosts.map((host) => reach(host, way)));
  const findings = reached.map(({ finding }) => finding);
  const secure = hosts.filter(
    ({ url }, index) => url.startsWith('https:') && findings[index]?.status !== 'fail',
  );
  return [...findings, clockIn(reached), await certificatesOf(secure, way)];
}

async function reach({ check, url }: Host, { transport, context, signal }: Way): Promise<Reached> {
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
    await dropped(answer);
    const detail = `${new URL(url).host} answered with ${answer.status} in ${ended - begun} ms`;
    const status = answer.status >= 500 ? 'warn' : 'ok';
    return { finding: { check, status, detail }, skewMs: skewOf(answer, (begun + ended) / 2) };
  } catch (cause) {
    context.signal.throwIfAborted();
    return { finding: unreached(check, url, cause, signal) };
  }
}

/** What an unknown page says is of no interest. */
async function dropped({ body }: WireResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.(undefined);
}

function unreached(check: string, url: string, cause: unknown, signal: AbortSignal): Finding {
  const { host } = new URL(url);
  if (!(cause instanceof WireFailure)) {
    const why = signal.aborted ? `${host} did not answer before the time was over` : cause;
    return failed(check, typeof why === 'string' ? new Error(why) : why, ExitCode.unavailable);
  }
  const finding = failed(
    check,
    failureError(cause, { safety: 'read', does: `reach ${host}` }),
    ExitCode.unavailable,
  );
  const hint =
    cause.kind === 'tls' ? 'Name the authority of its certificate: --ca-file <path>' : finding.hint;
  return { ...finding, hint };
}

/** Of an answer that a cache has kept, its age belongs to the date. */
function skewOf({ headers }: WireResponse, now: number): number | undefined {
  const date = parseHttpDate(headers['date'] ?? '');
  const age = Number(headers['age'] ?? 0);
  return date === undefined || Number.isNaN(age) ? undefined : now - date - age * 1_000;
}

function clockIn(reached: readonly Reached[]): Finding {
  const check = 'clock';
  const skews = reached.flatMap(({ skewMs }) => (skewMs === undefined ? [] : [skewMs]));
  if (skews.length === 0) return skipped(check, 'no host told the time');
  const worst = skews.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one));
  const size = Math.abs(worst);
  // The header has no smaller unit than the second.
  if (size <= SKEW_WARN_MS) return { check, status: 'ok', detail: 'this clock and those of the hosts agree' };
  const detail = `this clock is ${Math.round(size / 1_000)} s ${worst > 0 ? 'ahead of' : 'behind'} that of a host`;
  const hint = 'Set this clock: tokens are valid by the time of the service';
  return { check, status: size > SKEW_FAIL_MS ? 'fail' : 'warn', detail, hint };
}

async function certificatesOf(hosts: readonly Host[], { transport, context }: Way): Promise<Finding> {
  const check = 'certificates';
  const origins = [...new Set(hosts.map(({ url }) => new URL(url).origin))];
  const ends = await Promise.all(
    origins.map(async (origin) => {
      const end = await transport.certificateEnd?.(origin).catch(() => undefined);
      return end === undefined
        ? []
        : [{ host: new URL(origin).host, days: (end - context.clock.now()) / DAY_MS }];
    }),
  );
  const known = ends.flat();
  if (known.length === 0) return skipped(check, 'no host showed one');
  const detail = known.map(({ host, days }) => `${host}: ${Math.floor(days)} days left`).join(', ');
  const isSoon = known.some(({ days }) => days < SOON_DAYS);
  return isSoon
    ? { check, status: 'warn', detail, hint: 'Tell whoever runs the host' }
    : { check, status: 'ok', detail };
}
