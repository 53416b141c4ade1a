import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connect, WireRequest, WireResponse } from '../../cli/ports.ts';
import { proxyFor, type WireProxy } from '../proxies.ts';
import { type Carried, carry, createPlaces, type Place } from './carry.ts';
import { createConnectors, unknownToProxy } from './connectors.ts';
import { certificateEnd, exchangeFailure } from './errors.ts';

/** Opens the transport over undici: HTTP/1.1 with keep-alive, through the proxies in `options`. */
export const connectUndici: Connect = async (options) => {
  const closing = new AbortController();
  // Every connection listens.
  setMaxListeners(0, closing.signal);
  const connectors = createConnectors(options, closing.signal);
  const timeouts = { headersTimeout: options.headTimeoutMs, bodyTimeout: options.idleTimeoutMs };
  const direct = createOrigins({ ...timeouts, connect: connectors.toService });
  const relay = createOrigins({ ...timeouts, connect: connectors.toProxy });
  const placeOf = createPlaces();

  return {
    request(request) {
      const place = placeOf(request.url);
      // For TLS the connector opens a tunnel.
      const isRelayed = place.protocol === 'http:' && options.proxies.http !== undefined;
      const proxy = isRelayed ? proxyFor(options.proxies, new URL(request.url)) : undefined;
      const answer = carry({
        connections: proxy === undefined ? direct.to(place.origin) : relay.to(proxy.origin),
        options: proxy === undefined ? toService(place, request) : throughProxy(place, request, proxy),
        signal: request.signal,
        isFresh: request.isFresh === true,
        onSent: request.onSent,
        explain: (cause, progress) => exchangeFailure(cause, { ...options, ...progress, host: place.host }),
      });
      return proxy === undefined ? answer : answer.then((passedOn) => unlessRefused(proxy, passedOn));
    },
    // New connectors have no TLS session: a host that resumes one sends no certificate.
    certificateEnd: (url) => certificateEnd(createConnectors(options, closing.signal).toService, url),
    async close() {
      // Like undici's own error. Its stack is a constant: Node reads it from every error that ends a stream, and V8 takes
      // milliseconds to find the lines of a file as large as ours.
      const message = 'The client is destroyed';
      const end = Object.assign(new Error(message), { code: 'UND_ERR_DESTROYED', stack: message });
      await Promise.all([direct.destroy(end), relay.destroy(end)]);
      closing.abort();
    },
  };
};

/** The connections to each origin, created on first use. */
function createOrigins(options: Client.Options) {
  const origins = new Map<string, Connections>();
  return {
    to(origin: string): Connections {
      const connections = origins.get(origin) ?? createConnections(origin, options);
      origins.set(origin, connections);
      return connections;
    },
    destroy: (end: Error) =>
      Promise.all([...origins.values()].map((connections) => connections.destroy(end))),
  };
}

function toService(
  { origin, path }: Place,
  { method, headers, body }: WireRequest,
): Dispatcher.DispatchOptions {
  return { origin, path, method, headers, body: body ?? null };
}

function unlessRefused(proxy: WireProxy, answer: Carried): Carried {
  if (!isRefusedBy(proxy, answer)) return answer;
  answer.body.drop();
  throw unknownToProxy(proxy, answer.status);
}

/** Some proxies send a 401 for a wrong password, with a Basic challenge, which no service with tokens sends. */
function isRefusedBy({ authorization }: WireProxy, { status, headers }: WireResponse): boolean {
  if (status !== 401) return status === 407;
  return authorization !== undefined && /^basic\b/i.test(headers['www-authenticate'] ?? '');
}

/** In absolute form (RFC 9112, section 3.2.2). */
function throughProxy(
  place: Place,
  { method, headers, body }: WireRequest,
  proxy: WireProxy,
): Dispatcher.DispatchOptions {
  const { authorization } = proxy;
  return {
    origin: proxy.origin,
    path: `${place.origin}${place.path}`,
    method,
    headers: {
      ...headers,
      host: place.host,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    body: body ?? null,
  };
}

/** The connections to one origin: as many as there are requests at a time. */
export type Connections = ReturnType<typeof createConnections>;

/** A connection in use. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** It has carried an answer, and is still open as far as known. */
  isUsed: boolean;
}

/** How many writes use new connections after a used one was lost. */
const WARY_WRITES = 20;

/**
 * Like undici's own pool, which notices later that a connection is free, and starts a timer for connections that are reused at
 * once.
 */
export function createConnections(origin: string, options: Client.Options) {
  const all = new Set<Dispatcher>();
  const used: Connection[] = [];
  const broken: Connection[] = [];
  const open = (): Connection => {
    const dispatcher = new Client(origin, options);
    all.add(dispatcher);
    return { dispatcher, isUsed: false };
  };
  const replace = () => {
    const replaced = used.pop();
    if (replaced !== undefined && all.delete(replaced.dispatcher)) void replaced.dispatcher.destroy();
    return broken.pop() ?? open();
  };
  const take = (isNew: boolean) => (isNew ? replace() : (used.pop() ?? broken.pop() ?? open()));
  let wary = 0;
  return {
    /**
     * A free connection: the last used one, or a new one. It connects with its first request.
     *
     * @param isNew it must be unused: it replaces a used one, which is closed.
     */
    take,
    /** The same for a write: for a while after `lost` an unused one, because a lost write is in doubt. */
    takeForWrite(): Connection {
      wary -= 1;
      return take(wary >= 0);
    },
    /** Reports that a used connection ended without an answer. */
    lost(): void {
      wary = WARY_WRITES;
    },
    /** Returns a connection; a broken one reconnects. */
    give: (connection: Connection): void => void (connection.isUsed ? used : broken).push(connection),
    /** Ends all connections and their requests with an error. */
    destroy: (end: Error): Promise<unknown> =>
      Promise.all([...all].map((dispatcher) => dispatcher.destroy(end))),
  };
}
