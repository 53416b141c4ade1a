import type { ConnectOptions, Transport, WireRequest } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';

/** A transport that is closed at the end of its scope. */
export interface TestTransport extends Transport, AsyncDisposable {}

/** The real transport, without proxies and with timeouts that never expire unless a test sets shorter ones. */
export async function openTransport(options: Partial<ConnectOptions> = {}): Promise<TestTransport> {
  const transport = await connectUndici({
    proxies: {},
    authorities: [],
    connectTimeoutMs: 30_000,
    headTimeoutMs: 30_000,
    idleTimeoutMs: 30_000,
    ...options,
  });
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() };
}

/** A GET that is never aborted. */
export function get(url: string, request: Partial<WireRequest> = {}): WireRequest {
  return { method: 'GET', url, headers: {}, signal: new AbortController().signal, ...request };
}

/** Status, headers and text of one complete response. */
export async function fetchText(transport: Transport, request: WireRequest) {
  const { status, headers, bytes } = await transport.request(request);
  return { status, headers, text: new TextDecoder().decode(bytes) };
}

/** The error of one GET with a transport of its own. */
export async function failureAt(url: string, options: Partial<ConnectOptions> = {}) {
  await using transport = await openTransport(options);
  return await failureOf(transport.request(get(url)));
}

/** The error of one exchange. Fails when there is none. */
export async function failureOf(exchanged: Promise<unknown>) {
  const outcome = await exchanged.then(
    (answer) => ({ answer }),
    (cause: unknown) => cause,
  );
  if (!(outcome instanceof WireFailure))
    throw new Error('the exchange did not break on the wire', { cause: outcome });
  return { kind: outcome.kind, sent: outcome.sent, message: outcome.message };
}
