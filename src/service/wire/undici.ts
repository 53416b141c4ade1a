import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connect, WireRequest, WireResponse } from '../../cli/ports.ts';
import { proxyFor, type WireProxy } from '../proxies.ts';
import { type Carried, carry, createPlaces, type Place } from './carry.ts';
import { createConnectors, unknownToProxy } from './connectors.ts';
import { certificateEnd, exchangeFailure } from './errors.ts';

/** Opens the transport over undici: HTTP/1.1, connections kept alive, through the proxies that `options` names. */
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
      // TLS goes through a proxy as a tunnel, which the connector makes.
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
    // Its own connectors remember no session: a host that resumes one shows no certificate.
    certificateEnd: (url) => certificateEnd(createConnectors(options, closing.signal).toService, url),
    async close() {
      const end = connectionEnd();
      await Promise.all([direct.destroy(end), relay.destroy(end)]);
      closing.abort();
    },
  };
};

/** The connections to each origin, made when it is first asked for. */
function createOrigins(options: Client.Options) {
  const origins = new Map<string, Connections>();
  return {
    to(origin: string): Connections {
      const known = origins.get(origin);
      if (known !== undefined) return known;
      const connections = createConnections(origin, options);
      origins.set(origin, connections);
      return connections;
    },
    destroy: (end: Error) =>
      Promise.all([...origins.values()].map((connections) => connections.destroy(end))),
  };
}

/**
 * What connections are ended with, as undici would end them. Its stack is a text at once: Node asks for that of every error
 * that ends a stream, and to find the lines of a file as large as ours takes V8 milliseconds.
 */
function connectionEnd(): Error {
  const message = 'The client is destroyed';
  return Object.assign(new Error(message), { code: 'UND_ERR_DESTROYED', stack: message });
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

/** Some proxies give a 401 for a wrong password. It asks for one, which no service does that takes tokens. */
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
export interface Connections {
  /**
   * A free one: the one that was used last, or a new one. It connects when it is given a request.
   *
   * @param isNew it must not have been used: it stands in for one that was, which is closed.
   */
  take(isNew: boolean): Connection;
  /** The same for a write: a new one for a while after `lost`, because a write that is lost is in doubt. */
  takeForWrite(): Connection;
  /** One that was used ended without an answer. */
  lost(): void;
  /** It may be used again, unless it broke: then it connects anew. */
  give(connection: Connection): void;
  /** Ends all of them, and the requests that they carry, with an error. */
  destroy(end: Error): Promise<unknown>;
}

/** A connection while it is taken. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** It has carried an answer, and is still open as far as is known. */
  isUsed: boolean;
}

/** So many writes get new connections after one that was used was lost. */
const WARY_WRITES = 20;

/**
 * undici's own pool does the same. It hears that a connection is free later than who read the answer, and arms a timer for
 * connections that are used again at once.
 */
export function createConnections(origin: string, options: Client.Options): Connections {
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
    take,
    takeForWrite() {
      wary -= 1;
      return take(wary >= 0);
    },
    lost() {
      wary = WARY_WRITES;
    },
    give: (connection) => void (connection.isUsed ? used : broken).push(connection),
    destroy: (end) => Promise.all([...all].map((dispatcher) => dispatcher.destroy(end))),
  };
}
