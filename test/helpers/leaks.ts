import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Connect, WireRequest } from '../../src/model/ports.ts';
import { escapeHtml } from '../../src/print/text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Looks over the shoulder of one run: its secrets may be nowhere but where they belong. */
export interface Watch {
  /** The same connection, with every request kept, and every token that one brings. */
  connect(connect: Connect): Connect;
  /**
   * Holds what the run showed, left behind and sent against the secrets it had.
   *
   * @param argv what ran: `auth token` alone may show an access token, on stdout.
   * @throws {Error} naming the place of a secret, not the secret.
   */
  check(shown: Readonly<Record<string, string>>, argv?: readonly string[]): Promise<void>;
  /** The same without the files, which another run may be writing just now. */
  checkShown(shown: Readonly<Record<string, string>>, argv?: readonly string[]): Promise<void>;
}

/** Every secret, and the origins that it may be sent to. */
type Secrets = ReadonlyMap<string, ReadonlySet<string>>;

/** Shorter ones are not masked by value either. */
const SHORTEST = 8;

/** Files that keep secrets on purpose, those a person gives one in, and the records of the stand-in service, whose tokens are its own. */
const keepers = /(^|\/)(credentials\.json|token(\.txt)?)$|(^|\/)sandbox\//;

/**
 * Begins to watch a run in this environment.
 *
 * @param folder whatever the run writes is below it.
 * @param config its settings and credentials.
 */
export async function watchForLeaks(env: Environment, folder: string, config = folder): Promise<Watch> {
  const before = await storedIn(config);
  const requests: WireRequest[] = [];
  const answers: string[] = [];
  const secretsNow = async () => {
    const after = await storedIn(config);
    const credentials = [before.credentials, after.credentials];
    return allSecrets(env, originsIn(env, before.config, after.config), credentials, answers);
  };
  const tokensNow = async () => {
    const stored = [before.credentials, (await storedIn(config)).credentials];
    return [env['INNCTL_TOKEN'] ?? '', ...[...stored, ...answers].flatMap(tokensIn)].filter(isLong);
  };
  const checkShown: Watch['checkShown'] = async (shown, argv = []) => {
    const secrets = await secretsNow();
    const result = isAskedForToken(argv)
      ? without(await tokensNow(), shown['stdout'] ?? '')
      : shown['stdout'];
    const places = result === undefined ? shown : { ...shown, stdout: result };
    for (const [place, text] of Object.entries(places)) refuse(secrets.keys(), place, text);
    for (const request of requests) refuseLeakingRequest(secrets, request);
  };
  return {
    connect: (connect) => async (options) => {
      const transport = await connect(options);
      return {
        ...transport,
        request: async (request) => {
          requests.push({ ...request });
          const response = await transport.request(request);
          if (asksForToken(request)) answers.push(new TextDecoder().decode(response.bytes));
          return response;
        },
      };
    },
    checkShown,
    check: async (shown, argv) => {
      await checkShown(shown, argv);
      const secrets = await secretsNow();
      const files = secrets.size > 0 ? await filesBelow(folder) : [];
      for (const [path, text] of files) refuse(secrets.keys(), path, text);
    },
  };
}

/**
 * Holds what was shown against the secrets of an environment alone.
 *
 * @throws {Error} naming the place of a secret, not the secret.
 */
export function refuseLeaks(env: Environment, shown: Readonly<Record<string, string>>): void {
  const secrets = secretsOf(env).flatMap(spellingsOf);
  for (const [place, text] of Object.entries(shown)) refuse(secrets, place, text);
}

function isAskedForToken(argv: readonly string[]): boolean {
  return argv.some((word, at) => word === 'auth' && argv[at + 1] === 'token');
}

function without(texts: readonly string[], text: string): string {
  return texts.reduce((rest, each) => rest.replaceAll(each, ''), text);
}

function asksForToken({ body = '' }: WireRequest): boolean {
  return body.includes('grant_type=');
}

/** RFC 7009: the token that is to be ended, and who asks for it. */
function revokesToken({ body = '' }: WireRequest): boolean {
  return body.includes('token_type_hint=');
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

/** Secrets of the environment are for the hosts that it or the settings name, stored ones for their own, fetched ones for all of these. */
function allSecrets(
  env: Environment,
  named: ReadonlySet<string>,
  credentials: readonly string[],
  answers: readonly string[],
): Secrets {
  const stored = credentials.flatMap(credentialsIn);
  const anywhere = new Set([...named, ...stored.flatMap(({ origins }) => origins)]);
  const given = [
    ...secretsOf(env).map((secret) => [secret, named] as const),
    ...stored.flatMap(({ secrets, origins }) => secrets.map((secret) => [secret, new Set(origins)] as const)),
    ...answers.flatMap(secretsIn).map((secret) => [secret, anywhere] as const),
  ];
  const all = new Map<string, ReadonlySet<string>>();
  for (const [secret, origins] of given) {
    for (const spelling of spellingsOf(secret))
      all.set(spelling, new Set([...(all.get(spelling) ?? []), ...origins]));
  }
  return all;
}

/** What each profile keeps; a file that a test broke keeps its secrets for nobody. */
function credentialsIn(text: string): readonly { secrets: readonly string[]; origins: readonly string[] }[] {
  try {
    const { profiles }: { profiles: Record<string, { origins: string[] }> } = JSON.parse(text);
    return Object.values(profiles).map((credential) => ({
      secrets: secretsIn(JSON.stringify(credential)),
      origins: [...credential.origins],
    }));
  } catch {
    return [{ secrets: secretsIn(text), origins: [] }];
  }
}

function secretsIn(text: string): readonly string[] {
  const names = /"(?:token|client_secret|access_token|refresh_token)":\s*("(?:[^"\\]|\\.)*")/g;
  return valuesIn(text.matchAll(names));
}

/** What goes into the header of requests to the service. */
function tokensIn(text: string): readonly string[] {
  return valuesIn(text.matchAll(/"(?:token|access_token)":\s*("(?:[^"\\]|\\.)*")/g));
}

function valuesIn(values: Iterable<RegExpExecArray>): readonly string[] {
  return [...values].map(([, value = '""']): string => JSON.parse(value)).filter(isLong);
}

function secretsOf(env: Environment): readonly string[] {
  const proxies = Object.entries(env)
    .filter(([name]) => /^https?_proxy$/i.test(name))
    .map(([, url = '']) => decoded(/^[a-z]+:\/\/[^:/@]*:([^@]*)@/i.exec(url)?.[1] ?? ''));
  return [env['INNCTL_TOKEN'] ?? '', env['INNCTL_CLIENT_SECRET'] ?? '', ...proxies].filter(isLong);
}

function isLong({ length }: string): boolean {
  return length >= SHORTEST;
}

function decoded(text: string): string {
  return /%(?![0-9a-f]{2})/i.test(text) ? text : decodeURIComponent(text);
}

/** As it is, in a URL, a form, Base64, JSON and HTML. */
function spellingsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ q: secret }).toString().slice('q='.length),
    Buffer.from(secret).toString('base64'),
    JSON.stringify(secret).slice(1, -1),
    escapeHtml(secret),
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

function refuse(secrets: Iterable<string>, place: string, text: string): void {
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
function refuseLeakingRequest(secrets: Secrets, request: WireRequest): void {
  const { method, url, headers, body = '' } = request;
  const { authorization = '', ...others } = headers;
  const { origin } = new URL(url);
  refuse(secrets.keys(), `the URL of ${method} ${origin}`, url);
  refuse(secrets.keys(), `a header of ${method} ${origin}`, JSON.stringify(others));
  const strange = [...secrets].filter(([, origins]) => !origins.has(origin)).map(([secret]) => secret);
  refuse(strange, `the authorization for ${origin}, for which it was not given`, authorization);
  const isForServer = asksForToken(request) || revokesToken(request);
  refuse(isForServer ? strange : secrets.keys(), `the body of ${method} ${origin}`, body);
}
