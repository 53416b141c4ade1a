import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Transport, WireRequest } from '../../src/model/ports.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { exempt, serviceCommands } from '../reference/lines.ts';

const TOKEN = 'tok+en/of "Ana"~1234567890'.replaceAll(/[ "]/g, '-');
const SECRET = 's3cr3t+of/Ana*& "quoted" 1234567890';
const FETCHED = 'fetched/token+of-ana~0987654321';

const EVIL = 'https://evil.example.net';

/** Responses of a service or a proxy that echo the secret of the request. */
const echoes: Readonly<Record<string, (credential: string) => Answer>> = {
  'a record that contains it': (credential) =>
    json(200, { id: credential, name: credential, [credential]: credential, items: [{ id: credential }] }),
  'a list that contains it': (credential) =>
    json(200, {
      count: 7,
      items: [
        { id: credential, email: credential, name: credential, nested: { [credential]: [credential] } },
      ],
    }),
  'a refusal': (credential) =>
    json(422, { messages: [`${credential} may not`], details: [{ field: credential, reason: credential }] }),
  'a refusal of the token': (credential) =>
    json(
      401,
      { error: credential, error_description: credential },
      { 'www-authenticate': `Bearer error="${credential}"` },
    ),
  'a redirect to another host': (credential) => ({
    status: 307,
    headers: { location: `${EVIL}/?access_token=${encodeURIComponent(credential)}#${credential}` },
    body: credential,
  }),
  'an HTML page of a proxy': (credential) => ({
    status: 502,
    headers: { 'content-type': 'text/html', 'x-request-id': credential, 'retry-after': '0' },
    body: `<h1>Bad gateway</h1>${credential}`,
  }),
  'a body that is not JSON': (credential) => ({
    status: 200,
    headers: { 'content-type': credential },
    body: credential,
  }),
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const presentations = ['--debug', '--json --debug', '-o yaml', '--dry-run'] as const;

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** A service that echoes the credential of every request. */
function echoingService(echo: (credential: string) => Answer) {
  const requests: WireRequest[] = [];
  const connect = async (): Promise<Transport> => ({
    async request(request) {
      requests.push({ ...request });
      request.onSent?.();
      const { status, headers, body } = request.url.endsWith('/connect/token')
        ? json(200, { access_token: FETCHED, token_type: 'Bearer', expires_in: 3600, note: SECRET })
        : echo((request.headers['authorization'] ?? '').replace('Bearer ', ''));
      return { status, headers, bytes: Buffer.from(body) };
    },
    close: async () => {},
  });
  return { connect, requests };
}

const hosts = {
  INNCTL_IDENTITY_URL: 'https://identity.example.com',
  INNCTL_BASE_URL: 'https://api.example.com',
};

const credentials = {
  'a token': { INNCTL_TOKEN: TOKEN },
  'client credentials': { INNCTL_CLIENT_ID: 'CHAIN-CI', INNCTL_CLIENT_SECRET: SECRET },
} as const;

/** Runs a command and collects its output and files. */
async function allOutputOf(
  line: string,
  env: Readonly<Record<string, string>>,
  echo: (credential: string) => Answer,
) {
  const folder = await temporaryFolder();
  const { connect, requests } = echoingService(echo);
  const { exitCode, stdout, stderr } = await cli(line, { folder, connect, env: { ...hosts, ...env } });
  const texts = [stdout, stderr];
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  for (const file of files) texts.push(file.name, await readFile(join(file.parentPath, file.name), 'utf8'));
  return { exitCode, shown: texts.join('\n'), requests };
}

/** Each command once; each answer, credential and output mode with several commands. */
const turns = (await serviceCommands(exempt['secrets-echoed'])).map((each, turn) => ({
  ...each,
  // Client credentials have no user.
  credential: each.command === 'users me' ? 'a token' : pick(Object.keys(credentials), turn),
  answer: pick(Object.keys(echoes), turn),
  presentation: pick(presentations, Math.floor(turn / 2)),
}));

function pick<Each>(from: readonly Each[], turn: number): Each {
  // The remainder is an index.
  return from[turn % from.length] as Each;
}

test('each answer, credential and output mode comes at least four times', () => {
  const counts = new Map<string, number>();
  for (const { credential, answer, presentation } of turns)
    for (const name of [credential, answer, presentation]) counts.set(name, (counts.get(name) ?? 0) + 1);

  expect(counts.size).toBe(13);
  expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(4);
});

test.each(turns)(
  '$command with $credential and $presentation prints no secret when it receives $answer',
  async ({ command, rest, codes, credential, answer, presentation, ...situation }) => {
    const env = { ...credentials[credential as keyof typeof credentials], ...situation.env };
    const echo = echoes[answer] ?? (() => json(500, {}));

    const { exitCode, shown, requests } = await allOutputOf(`${command} ${rest} ${presentation}`, env, echo);

    for (const secret of [TOKEN, SECRET, FETCHED]) {
      const base64 = Buffer.from(secret).toString('base64');
      for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64])
        expect(shown.includes(form), `${form} in ${shown}`).toBe(false);
    }
    const origins = new Set(requests.map(({ url }) => new URL(url).origin));
    expect([...origins].filter((origin) => !Object.values(hosts).some((host) => host === origin))).toEqual(
      [],
    );
    // A dry run of a write may send nothing; then it shows what it would have sent.
    const isDry = presentation === '--dry-run';
    expect(
      requests.length > 0 || (isDry && Object.values(hosts).some((host) => shown.includes(host))),
      shown,
    ).toBe(true);
    expect(codes, shown).toContain(exitCode);
    if (!isDry && !answer.endsWith('that contains it')) expect(exitCode, shown).not.toBe(0);
  },
);

test('an echoed message is printed with the secret redacted', async () => {
  const { shown, requests } = await allOutputOf(
    'properties list',
    credentials['a token'],
    echoes['a refusal'] ?? (() => json(500, {})),
  );

  expect(shown).toContain('[redacted] may not');
  expect(requests.map(({ headers }) => headers['authorization'])).toContain(`Bearer ${TOKEN}`);
});
