import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Connect, WireRequest } from '../../src/transport.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Looks over the shoulder of one run: its secrets may be nowhere but where they belong. */
export interface Watch {
  /** The same connection, with every request kept. */
  connect(connect: Connect): Connect;
  /**
   * Holds what the run showed, left behind and sent against the secrets it had.
   *
   * @throws {Error} naming the place of a secret, not the secret.
   */
  check(shown: Readonly<Record<string, string>>): Promise<void>;
}

/** Shorter ones are not masked by value either. */
const SHORTEST = 8;

/** Files that keep secrets on purpose, those a person gives one in, and the records of the stand-in service, whose tokens are its own. */
const keepers = /(^|\/)(credentials\.json|token\.txt)$|(^|\/)sandbox\//;

/**
 * Begins to watch a run in this environment.
 *
 * @param folder whatever the run writes is below it.
 * @param config its settings and credentials.
 */
export async function watchForLeaks(env: Environment, folder: string, config = folder): Promise<Watch> {
  const before = await storedIn(config);
  const requests: WireRequest[] = [];
  return {
    connect: (connect) => async (options) => {
      const transport = await connect(options);
      return {
        ...transport,
        request: (request) => {
          requests.push({ ...request });
          return transport.request(request);
        },
      };
    },
    check: async (shown) => {
      const after = await storedIn(config);
      const secrets = secretsIn(env, before.credentials, after.credentials);
      const places = [...Object.entries(shown), ...(secrets.size > 0 ? await filesBelow(folder) : [])];
      for (const [place, text] of places) refuse(secrets, place, text);
      const origins = originsIn(env, before.config, after.config);
      for (const request of requests) refuseLeakingRequest(secrets, origins, request);
    },
  };
}

/**
 * Holds what was shown against the secrets of an environment alone.
 *
 * @throws {Error} naming the place of a secret, not the secret.
 */
export function refuseLeaks(env: Environment, shown: Readonly<Record<string, string>>): void {
  for (const [place, text] of Object.entries(shown)) refuse(secretsIn(env), place, text);
}

async function storedIn(folder: string) {
  return {
    config: await textOf(join(folder, 'config.json')),
    credentials: await textOf(join(folder, 'credentials.json')),
  };
}

/** Whatever cannot be read, because a test broke it, holds nothing to look for. */
function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function secretsIn(env: Environment, ...credentials: readonly string[]): ReadonlySet<string> {
  const stored = credentials.flatMap((text) =>
    [...text.matchAll(/"(?:token|client_secret|access_token|refresh_token)":\s*("(?:[^"\\]|\\.)*")/g)].map(
      ([, value = '""']): string => JSON.parse(value),
    ),
  );
  const proxies = Object.entries(env)
    .filter(([name]) => /^https?_proxy$/i.test(name))
    .map(([, url = '']) => decoded(/^[a-z]+:\/\/[^:/@]*:([^@]*)@/i.exec(url)?.[1] ?? ''));
  const all = [env['INNCTL_TOKEN'] ?? '', env['INNCTL_CLIENT_SECRET'] ?? '', ...stored, ...proxies];
  return new Set(all.filter(({ length }) => length >= SHORTEST).flatMap(formsOf));
}

function decoded(text: string): string {
  return /%(?![0-9a-f]{2})/i.test(text) ? text : decodeURIComponent(text);
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
  ];
}

async function filesBelow(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !keepers.test(path));
  return Promise.all(paths.map(async (path) => [path, await textOf(join(folder, path))] as const));
}

function refuse(secrets: ReadonlySet<string>, place: string, text: string): void {
  for (const secret of secrets) {
    if (text.includes(secret)) throw new Error(`A secret of this run stands in ${place}.`);
  }
}

/** The hosts that the person named, for which the credentials are. */
function originsIn(env: Environment, ...configs: readonly string[]): ReadonlySet<string> {
  const named = Object.entries(env).flatMap(([name, value = '']) =>
    name.startsWith('INNCTL_') ? [value] : [],
  );
  const urls = [...named, ...configs].flatMap((text) => text.match(/https?:\/\/[^\s"',]+/gi) ?? []);
  return new Set(urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : [])));
}

/** A token is a header of its own, a client secret that or the body of a request for a token. */
function refuseLeakingRequest(
  secrets: ReadonlySet<string>,
  origins: ReadonlySet<string>,
  { method, url, headers, body = '' }: WireRequest,
): void {
  const { authorization = '', ...others } = headers;
  const { origin } = new URL(url);
  refuse(secrets, `the URL of ${method} ${origin}`, url);
  refuse(secrets, `a header of ${method} ${origin}`, JSON.stringify(others));
  const isNamed = origins.has(origin);
  if (!isNamed) refuse(secrets, `the authorization for ${origin}, which nobody named`, authorization);
  const asksForToken = isNamed && body.includes('grant_type=');
  if (!asksForToken) refuse(secrets, `the body of ${method} ${origin}`, body);
}
