import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { Connect, WireRequest, WireResponse } from '../transport.ts';
import { carry } from './carry.ts';
import { createConnectors } from './connectors.ts';
import { proxyFor, type WireProxy } from './proxies.ts';
import { unknownToProxy } from './tunnel.ts';
import { exchangeFailure } from './wire-errors.ts';

/** Opens the transport over undici: HTTP/1.1, connections kept alive, through the proxies that `options` names. */
export const connectUndici: Connect = async (options) => {
  const closing = new AbortController();
  // Every connection listens.
  setMaxListeners(0, closing.signal);
  const connectors = createConnectors(options, closing.signal);
  const timeouts = { headersTimeout: options.headTimeoutMs, bodyTimeout: options.idleTimeoutMs };
  const direct = new Agent({ ...timeouts, connect: connectors.toService });
  const relay = new Agent({ ...timeouts, connect: connectors.toProxy });

  return {
    async request(request) {
      const url = new URL(request.url);
      // TLS goes through a proxy as a tunnel, which the connector makes.
      const proxy = url.protocol === 'http:' ? proxyFor(options.proxies, url) : undefined;
      const answer = await carry({
        dispatcher: proxy === undefined ? direct : relay,
        options: proxy === undefined ? toService(url, request) : throughProxy(url, request, proxy),
        signal: request.signal,
        onSent: request.onSent,
        explain: (cause, progress) => exchangeFailure(cause, { ...options, ...progress, host: url.host }),
      });
      if (proxy === undefined || !isRefusedBy(proxy, answer)) return answer;
      answer.body.destroy();
      throw unknownToProxy(proxy, answer.status);
    },
    async close() {
      await Promise.all([direct.destroy(), relay.destroy()]);
      closing.abort();
    },
  };
};

function toService(url: URL, { method, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  return { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body: body ?? null };
}

/** Some proxies give a 401 for a wrong password. It asks for one, which no service does that takes tokens. */
function isRefusedBy({ authorization }: WireProxy, { status, headers }: WireResponse): boolean {
  if (status !== 401) return status === 407;
  return authorization !== undefined && /^basic\b/i.test(headers['www-authenticate'] ?? '');
}

/** In absolute form (RFC 9112, section 3.2.2). */
function throughProxy(
  url: URL,
  { method, headers, body }: WireRequest,
  proxy: WireProxy,
): Dispatcher.DispatchOptions {
  const { authorization } = proxy;
  return {
    origin: proxy.origin,
    path: `${url.origin}${url.pathname}${url.search}`,
    method,
    headers: {
      ...headers,
      host: url.host,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    body: body ?? null,
  };
}
