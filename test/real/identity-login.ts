import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { ana, type Client, clients, type Identity, scopes } from './identity.ts';

/** The tokens of a login. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
}

interface Answer {
  readonly status: number;
  /** The target of a redirect, as an absolute URL. */
  readonly location: string | undefined;
  readonly body: string;
}

/** A minimal browser: it keeps cookies, and follows no redirect automatically. */
export interface Visitor {
  get(url: string): Promise<Answer>;
  post(url: string, form: Readonly<Record<string, string>>, authorization?: string): Promise<Answer>;
}

const redirectUri = 'http://127.0.0.1:9/callback';

/** Logs a person in with authorization code and PKCE, without innctl. */
export async function logIn(identity: Identity, client: Client = clients.native): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    prompt: 'consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const visitor = visit();
  const back = await agree(visitor, `${identity.issuer}/connect/authorize?${query}`);
  const secret = 'secret' in client ? client.secret : undefined;
  const basic = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`;
  const answer = await visitor.post(
    identity.tokenUrl,
    {
      grant_type: 'authorization_code',
      code: new URL(back).searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: client.id,
      ...(client.auth === 'post' && { client_secret: client.secret }),
    },
    client.auth === 'basic' ? basic : undefined,
  );
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

/** Completes the login and consent pages from this URL. @returns the redirect to the client. */
export async function agree(visitor: Visitor, url: string): Promise<string> {
  const { origin } = new URL(url);
  let at = url;
  // Authorize, login, authorize, consent, authorize; the limit ends redirect loops.
  for (let steps = 0; steps < 10; steps += 1) {
    const answer = await visitor.get(at);
    const isForm = answer.status === 200 && at.includes('/interaction/');
    const { location, body } = isForm
      ? await visitor.post(at, { login: ana.email, password: ana.password, submit: 'yes' })
      : answer;
    if (location === undefined) throw new Error(`Nothing leads on from ${at}: ${body}`);
    if (new URL(location).origin !== origin) return location;
    at = location;
  }
  throw new Error(`The pages of ${origin} lead in circles.`);
}

/** A new browser. */
export function visit(): Visitor {
  const cookies = new Map<string, string>();
  const go = async (method: string, url: string, body = '', headers = {}): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { method, headers: { cookie, ...headers } }, resolve)
        .on('error', reject)
        .end(body);
    });
    for (const each of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const { location } = answer.headers;
    return {
      status: answer.statusCode ?? 0,
      location: location && new URL(location, url).href,
      body: Buffer.concat(await answer.toArray()).toString(),
    };
  };
  return {
    get: (url) => go('GET', url),
    post: (url, form, authorization) =>
      go('POST', url, new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization && { authorization }),
      }),
  };
}
