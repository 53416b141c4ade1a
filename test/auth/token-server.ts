import type { IncomingHttpHeaders } from 'node:http';
import { httpServer, type TestServer } from '../helpers/servers.ts';

/** The contents of one token request. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

/** Its response; default: 200 and JSON. */
export interface TokenAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string. */
  readonly body: unknown;
}

/** The server and its requests. */
export interface TokenServer extends TestServer {
  readonly tokenUrl: string;
  readonly requests: readonly TokenRequest[];
}

/** A minimal OAuth server: responds to the n-th token request, from 1, with this function. */
export async function tokenServer(
  answer: (n: number, request: TokenRequest) => TokenAnswer | Promise<TokenAnswer>,
): Promise<TokenServer> {
  const requests: TokenRequest[] = [];
  const server = await httpServer(async (incoming, response) => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(await incoming.toArray()).toString()));
    const request = { authorization: incoming.headers.authorization, form, headers: incoming.headers };
    requests.push(request);
    const { status = 200, headers, body } = await answer(requests.length, request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { ...server, requests, tokenUrl: `${server.origin}/connect/token` };
}

/** A successful response. */
export function issue(accessToken: string, more: Readonly<Record<string, unknown>> = {}): TokenAnswer {
  return { body: { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, ...more } };
}
