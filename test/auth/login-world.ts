import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { OAuthHttp, Provider } from '../../src/auth/oauth-http.ts';
import type { Clock, WireRequest, WireResponse } from '../../src/model/ports.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import { httpServer, type TestServer } from '../helpers/servers.ts';
import { openTransport } from '../helpers/wire.ts';

/** The response to one request; default: 200 and JSON. */
export interface TokenAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string. */
  readonly body: unknown;
}

/** A successful response. */
export function issue(accessToken: string, more: Readonly<Record<string, unknown>> = {}): TokenAnswer {
  return { body: { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, ...more } };
}

/** One request to the login server. */
export interface LoginRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

/** A minimal login server. */
export interface LoginServer extends TestServer {
  readonly requests: readonly LoginRequest[];
  readonly provider: Provider;
}

/** Answers each request with `answer`, by its path and the number of earlier requests to it, from 1; `undefined` never answers. */
export async function loginServer(
  answers: Readonly<
    Record<string, (n: number, request: LoginRequest) => TokenAnswer | undefined | Promise<TokenAnswer>>
  >,
): Promise<LoginServer> {
  const requests: LoginRequest[] = [];
  const server = await httpServer(async (incoming, response) => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(await incoming.toArray()).toString()));
    const { method = '', url: path = '', headers } = incoming;
    const one = { method, path, authorization: headers.authorization, form, headers };
    requests.push(one);
    const n = requests.filter((each) => each.path === path).length;
    const answer: TokenAnswer | undefined = await (answers[path] ?? notFound)(n, one);
    if (answer === undefined) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  const { origin } = server;
  const provider = {
    issuer: origin,
    authorizationUrl: `${origin}/authorize`,
    deviceAuthorizationUrl: `${origin}/device`,
    tokenUrl: `${origin}/token`,
    sendsIssuer: false,
  };
  return { ...server, requests, provider };
}

/** A server with a token endpoint alone. */
export async function tokenServer(
  answer: (n: number, request: LoginRequest) => TokenAnswer | Promise<TokenAnswer>,
) {
  const server = await loginServer({ '/connect/token': answer });
  return { ...server, tokenUrl: `${server.origin}/connect/token` };
}

const notFound = () => ({ status: 404, body: '' });

/** Sends a request over a connection of its own. */
async function exchange(request: WireRequest): Promise<WireResponse> {
  await using transport = await openTransport();
  return await transport.request(request);
}

/** A clock that only the test advances. */
export interface LoginWorld {
  readonly http: OAuthHttp;
  readonly slept: number[];
  now: number;
}

/** The OAuth client, with the clock of a test. */
export function oauthHttp(clock: Clock, redactor: OAuthHttp['redactor']): OAuthHttp {
  return {
    userAgent: 'innctl/test',
    request: (request) => exchange({ ...request, maxBytes: 100_000 }),
    maxAttempts: 3,
    clock,
    random: () => 0.5,
    redactor,
  };
}

/** @param sleep how the run waits; default: until it is aborted. */
export function loginWorld(sleep?: (ms: number, world: LoginWorld) => void): LoginWorld {
  const forever: Clock['sleep'] = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const clock: Clock = {
    now: () => world.now,
    monotonic: () => world.now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      world.slept.push(ms);
      if (sleep === undefined) await forever(ms, signal);
      else sleep(ms, world);
    },
  };
  const world: LoginWorld = {
    now: Date.parse('2026-05-01T12:00:00Z'),
    slept: [],
    http: oauthHttp(clock, createRedactor()),
  };
  return world;
}

/** The response to a browser. */
export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Requests a page like a browser, or with any other headers. */
export function browse(
  url: string,
  { method = 'GET', host }: { readonly method?: string; readonly host?: string } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    const outgoing = httpRequest(url, { method, headers, agent: false }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    outgoing.once('error', reject).end();
  });
}

/** An unsigned JSON web token with these claims. */
export function jwt(claims: Readonly<Record<string, unknown>>, alg = 'RS256'): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** The code challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
