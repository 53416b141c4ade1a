import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result, type Situation } from '../helpers/cli.ts';
import { httpServer } from '../helpers/servers.ts';
import { keyed } from './front.ts';

/** Two accounts of one service. Its ids are codes, so that the hotels of both have the same ids. */
export type AccountName = 'aurora' | 'boreal';

/** One write that reached the service. */
export interface Write {
  readonly account: AccountName;
  /** `POST /inventory/v1/properties` */
  readonly what: string;
  readonly key: string | undefined;
}

/** What users/me tells of an opaque token, or the status that it is refused with. */
export type Me = 'subject' | 'forbidden' | 'missing' | 'a page' | number;

/** Both accounts behind one address, which the token of each request chooses. */
export interface TwoAccounts {
  readonly origin: string;
  readonly folder: string;
  readonly writes: readonly Write[];
  /** How often users/me was asked. */
  readonly asked: () => number;
  /** A new opaque token of an account. */
  token(of: AccountName): string;
  /** A new token of an account that tells these claims. */
  jwt(of: AccountName, claims: object): string;
  /** From now on all creations of an account break off and do nothing, or none. */
  lose(of: AccountName | undefined): void;
  /** Ids of the hotels of an account that no seed has. */
  hotels(of: AccountName): Promise<readonly string[]>;
  file(name: string, text: string): Promise<string>;
  innctl(line: readonly string[], situation: Situation): Promise<Result>;
}

/** Starts both; they end with the test. */
export async function twoAccounts(me: Me): Promise<TwoAccounts> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const services: Record<AccountName, Sandbox> = {
    aurora: await startSandbox({ folder: join(folder, 'aurora'), now: Date.now }),
    boreal: await startSandbox({ folder: join(folder, 'boreal'), now: Date.now }),
  };
  const owners = new Map<string, AccountName>();
  const writes: Write[] = [];
  let lost: AccountName | undefined;
  let asked = 0;
  let issued = 0;
  const give = (of: AccountName, token: string) => {
    owners.set(token, of);
    return token;
  };
  const next = () => {
    issued += 1;
    return issued;
  };
  const token = (of: AccountName) => give(of, `opaque-${next()}-${of}-1234567890`);
  const front = await httpServer(async (request, response) => {
    const body = await buffer(request);
    const [path = ''] = (request.url ?? '').split('?');
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (path === '/connect/token') return send(200, issueFor(clientOf(request), token));
    const of = owners.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (of === undefined) return send(401, {});
    if (path === '/api/v1/users/me') {
      asked += 1;
      if (me === 'a page') return response.end('<html>');
      if (typeof me === 'number') return send(me, {});
      if (me === 'forbidden' || me === 'missing') return send(me === 'missing' ? 404 : 403, {});
      return send(200, {
        subject_id: `${of}-7`,
      });
    }
    if (request.method !== 'GET') writes.push(writeOf(of, path, request));
    if (lost === of && request.method === 'POST') return request.socket.destroy();
    const answer = await passOn(request, body, services[of]);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    return response.end(await answer.text());
  });
  onTestFinished(async () => {
    await front[Symbol.asyncDispose]();
    for (const service of Object.values(services)) await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const hotels = async (of: AccountName) => {
    const { url, token: admin } = services[of];
    const headers = { authorization: `Bearer ${admin}` };
    const answer = await fetch(`${url}/inventory/v1/properties?page_size=100`, { headers });
    const { items } = (await answer.json()) as { readonly items: readonly { readonly id: string }[] };
    return items.map(({ id }) => id).filter((id) => !['BER', 'MUC', 'VIE'].includes(id));
  };
  return {
    origin: front.origin,
    folder,
    writes,
    asked: () => asked,
    token,
    jwt(of, claims) {
      const parts = [{ alg: 'none' }, { ...claims, jti: next() }, `signature of ${of}`];
      return give(of, parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.'));
    },
    lose: (of) => {
      lost = of;
    },
    hotels,
    async file(name, text) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
    innctl: (line, situation) =>
      cli(line, {
        ...{ folder: join(folder, 'config'), connect: connectUndici, ...situation },
        env: { ...keyed, ...situation?.env },
      }),
  };
}

function writeOf(account: AccountName, path: string, { method, headers }: IncomingMessage): Write {
  return { account, what: `${method} ${path}`, key: headers['idempotency-key']?.toString() };
}

/** `aurora-ci` is the client of aurora. */
function clientOf({ headers }: IncomingMessage): AccountName {
  const [, basic = ''] = headers.authorization?.split(' ') ?? [];
  return Buffer.from(basic, 'base64').toString().startsWith('boreal') ? 'boreal' : 'aurora';
}

function issueFor(of: AccountName, token: (of: AccountName) => string) {
  return { access_token: token(of), token_type: 'Bearer', expires_in: 3600 };
}

function passOn({ method = 'GET', url = '', headers }: IncomingMessage, body: Buffer, service: Sandbox) {
  const key = headers['idempotency-key'];
  return fetch(`${service.url}${url}`, {
    method,
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      ...(typeof key === 'string' && { 'idempotency-key': key }),
    },
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
}
