import type { Settings } from '../config/resolve.ts';
import type { Context } from '../context.ts';
import { readAuthorities } from '../files/authorities.ts';
import type { GlobalOptions } from '../global-options.ts';
import { proxiesFrom, secretsOf } from '../http/proxies.ts';
import { createTrace, silentTrace, type Trace } from '../http/trace.ts';
import { neutraliseLine } from '../render/text.ts';
import type { Proxies, Transport } from '../transport.ts';

/** Milliseconds: to connect, to the head of the answer, between two chunks of its body. */
const CONNECT_MS = 10_000;
const HEAD_MS = 30_000;
const IDLE_MS = 30_000;

/** The proxies of the environment; their passwords are masked from now on. */
export function proxiesOf({ env, redactor }: Pick<Context, 'env' | 'redactor'>): Proxies {
  const proxies = proxiesFrom(env);
  for (const secret of secretsOf(proxies)) redactor.add(secret);
  return proxies;
}

/** Opens the way to all hosts; nothing is sent yet. */
export async function openTransport(
  { connect, env }: Pick<Context, 'connect' | 'env'>,
  { caFile }: Pick<Settings, 'caFile'>,
  proxies: Proxies,
): Promise<Transport> {
  return connect({
    proxies,
    authorities: await readAuthorities(caFile && { path: caFile.value, source: caFile.source }, env),
    connectTimeoutMs: CONNECT_MS,
    headTimeoutMs: HEAD_MS,
    idleTimeoutMs: IDLE_MS,
  });
}

/** What `--debug` shows of this run's exchanges. */
export function traceOf({
  context,
  globals,
}: {
  readonly context: Pick<Context, 'stderr'>;
  readonly globals: Pick<GlobalOptions, 'debug'>;
}): Trace {
  return globals.debug === true ? createTrace(context.stderr, neutraliseLine) : silentTrace;
}
