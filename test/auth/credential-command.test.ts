import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { commandCredentials, readPrinted } from '../../src/auth/credential-command.ts';
import type { Helped, HelperOptions, RunHelper } from '../../src/cli/ports.ts';
import { createRedactor } from '../../src/print/redaction.ts';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { neverAborted } from './chain.ts';

const IDENTITY = 'https://identity.chain.example';
const API = 'https://api.chain.example';
const token = 'token-of-ana-1234567890';
const NOW = Date.parse('2026-05-01T12:00:00Z');

onlyIntercepted();

/** A helper with these outputs in order, the last one repeated, and the commands it was run with. */
function printing(...outputs: readonly (string | Partial<Helped>)[]) {
  const runs: { readonly command: string; readonly env: HelperOptions['env'] }[] = [];
  const helper: RunHelper = async (command, { env }) => {
    const output = outputs[Math.min(runs.length, outputs.length - 1)] ?? '';
    runs.push({ command, env });
    const helped = typeof output === 'string' ? { stdout: Buffer.from(output) } : output;
    return { exitCode: 0, stdout: new Uint8Array(), ...helped };
  };
  return { helper, runs };
}

/** A profile with its URLs and a command, and no stored credential. */
function store(folder: string, profile: object = {}): void {
  const urls = { identity_url: IDENTITY, base_url: API, auth: 'token' };
  const chain = { ...urls, credential_command: 'vault read chain', ...profile };
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ version: 1, active_profile: 'chain', profiles: { chain } }),
  );
}

const propertyRequest = (bearer: string) =>
  nock(API, { reqheaders: { authorization: `Bearer ${bearer}` } }).get('/inventory/v1/properties/BER');
const BER = { id: 'BER', name: 'Berlin' };
const list = 'properties get BER --json';

describe('the output of a credential command', () => {
  const read = (text: string | Uint8Array) =>
    readPrinted(typeof text === 'string' ? Buffer.from(text) : text, NOW, () => {});
  const future = Date.parse('2026-05-01T13:00:00Z');

  test.for<[string, number | undefined]>([
    [`${token}\n`, undefined],
    [`\r\n  ${token}  \r\n`, undefined],
    [JSON.stringify({ token }), undefined],
    [JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }), future],
    [JSON.stringify({ token, expires_at: '2026-05-01T13:00:00Z' }), future],
    [JSON.stringify({ token, expires_at: '2026-05-01T15:00:00.000+02:00' }), future],
    [JSON.stringify({ token, expires_at: future }), future],
    [JSON.stringify({ token, expires_at: future / 1000 }), future],
    [JSON.stringify({ token, expires_at: null, expires_in: null }), undefined],
  ])('a token in %j', ([text, expiresAt]) => {
    expect(read(text)).toEqual({ token, expiresAt });
  });

  const noToken = 'prints something that is not one token';
  const noObject = 'prints JSON that is not one object';
  const noField = 'prints a JSON object without one "token" (or "access_token") that can be sent';
  const noTime = 'prints an invalid "expires_at" or "expires_in"';

  test.for<[string | Uint8Array, string]>([
    ['', 'prints nothing'],
    [' \n\t\n', 'prints nothing'],
    ['two tokens', noToken],
    [`${token}\n${token}`, noToken],
    ['tök\u00e9n', noToken],
    ['tok\u0000en', noToken],
    ['"quoted"', noToken],
    ['null', noToken],
    ['<html>', noToken],
    [JSON.stringify([token]), noToken],
    [new Uint8Array([0xff, 0xfe, 0x41]), 'prints bytes that are not UTF-8'],
    ['{"token":', noObject],
    [`{"token":"${token}"}{}`, noObject],
    ['{}', noField],
    [JSON.stringify({ token: 7 }), noField],
    [JSON.stringify({ token: '' }), noField],
    [JSON.stringify({ token: 'a b' }), noField],
    [JSON.stringify({ token, access_token: 'another-token' }), noField],
    [JSON.stringify({ token, expires_at: 'tomorrow' }), noTime],
    [JSON.stringify({ token, expires_at: '2026-05-01T13:00:00' }), noTime],
    [JSON.stringify({ token, expires_at: -1 }), noTime],
    [JSON.stringify({ token, expires_in: '3600' }), noTime],
    [JSON.stringify({ token, expires_in: 0 }), noTime],
  ])('no token in %j', ([text, problem]) => {
    expect(read(text)).toEqual({ problem });
  });
});

describe('a profile with a command', () => {
  test('sends the printed token, and does not store it', async ({ folder }) => {
    store(folder);
    const { helper, runs } = printing(`${token}\n`);
    propertyRequest(token).reply(200, BER);

    const shown = await cli(`${list} --debug`, { folder, helper });

    expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"id": "BER"') });
    expect(runs.map(({ command }) => command)).toEqual(['vault read chain']);
  });

  test('takes precedence over stored credentials, but not over INNCTL_TOKEN', async ({ folder }) => {
    store(folder);
    const stored = {
      version: 1,
      profiles: { chain: { origins: [IDENTITY, API], token: 'stored-token-12345' } },
    };
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(stored), { mode: 0o600 });
    const { helper, runs } = printing(token);
    propertyRequest(token).reply(200, BER);
    propertyRequest('token-of-the-variable').reply(200, BER);

    const ended = [
      await cli(list, { folder, helper }),
      await cli(list, { folder, helper, env: { INNCTL_TOKEN: 'token-of-the-variable' } }),
    ];

    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(runs).toHaveLength(1);
  });

  test('does not pass the secrets of innctl to the command', async ({ folder }) => {
    store(folder);
    const { helper, runs } = printing(token);
    propertyRequest(token).reply(200, BER);
    const env = {
      INNCTL_TOKEN: 'token-of-the-variable',
      INNCTL_CLIENT_SECRET: 'secret-of-the-variable',
      LANG: 'C',
    };

    await cli(`${list} --profile chain`, { folder, helper, env });

    expect(runs.map((run) => run.env)).toEqual([{ INNCTL_CONFIG_DIR: folder, LANG: 'C' }]);
  });

  test('runs the command once more after a 401, for a new token', async ({ folder }) => {
    store(folder);
    const { helper, runs } = printing(token, 'token-of-ana-renewed');
    propertyRequest(token).reply(401);
    propertyRequest('token-of-ana-renewed').reply(200, BER);

    const { exitCode } = await cli(list, { folder, helper });

    expect({ exitCode, runs: runs.length }).toEqual({ exitCode: 0, runs: 2 });
  });

  test('stops when the command prints the rejected token again', async ({ folder }) => {
    store(folder);
    const { helper, runs } = printing(token);
    propertyRequest(token).reply(401);

    const ended = await cli('properties get BER', { folder, helper });

    expect({ ...ended, runs: runs.length }).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining(
        'credential_command (profile chain) prints the token again that was refused.',
      ),
      runs: 2,
    });
  });

  test('prints a hint when the second token is rejected as well', async ({ folder }) => {
    store(folder);
    const { helper } = printing(token, 'token-of-ana-renewed');
    propertyRequest(token).reply(401);
    propertyRequest('token-of-ana-renewed').reply(401);

    const ended = await cli('properties get BER', { folder, helper });

    expect(ended).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(
        'hint: Renew what it takes its token from; to see the command: innctl config explain credential_command\n',
      ),
    });
  });

  test('removes the stored credential of the profile that it replaces', async ({ folder }) => {
    const urls = ['profiles', 'add', 'chain', '--identity-url', IDENTITY, '--base-url', API];
    await cli([...urls, '--token-file', '-', '--insecure-storage', '--expect-account', 'AURORA'], {
      folder,
      stdin: token,
    });
    const command = ['--credential-command', 'pass chain', '--expect-account', 'BOREAL', '--yes'];

    const replaced = await cli([...urls, ...command], { folder });
    const { stdout } = await cli('profiles show chain --json', { folder });

    expect(replaced).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).not.toContain(token);
    expect(JSON.parse(stdout)).toMatchObject({ expect_account: 'BOREAL', credential_command: 'pass chain' });
  });

  test('rejects an expired token', async ({ folder }) => {
    store(folder);
    const { helper, runs } = printing(JSON.stringify({ token, expires_at: '2026-05-01T11:59:59Z' }));

    const ended = await cli('properties get BER', { folder, helper, now: NOW });

    expect({ ...ended, runs: runs.length }).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining('(profile chain) prints an expired token.'),
      runs: 1,
    });
  });

  test.for<[Partial<Helped>, string]>([
    [{ exitCode: 1 }, 'ended with exit code 1.'],
    [{ exitCode: 126 }, 'ended with exit code 126: it cannot be executed.'],
    [{ exitCode: 127 }, 'ended with exit code 127: the program was not found.'],
    [{ exitCode: undefined }, 'could not be started, or was ended by a signal.'],
    [{ exitCode: undefined, cut: 'late' }, 'did not finish within 60 s, and was stopped.'],
    [{ exitCode: undefined, cut: 'too-long' }, 'prints more than 64 KiB.'],
    [{ exitCode: 0 }, 'prints nothing.'],
  ])(
    'reports the failure of the command, and never its output: %j',
    async ([helped, sentence], { folder }) => {
      store(folder);
      const stdout = helped.exitCode === 0 ? '' : 'half-of-a-token-1234567890';
      const { helper } = printing({ stdout: Buffer.from(stdout), ...helped });

      const ended = await cli('properties get BER', { folder, helper });

      expect(ended).toEqual({
        exitCode: 4,
        stdout: '',
        stderr: [
          `error: credential_command (profile chain) ${sentence}`,
          'hint: It must print one token, or { "token", "expires_at" } as JSON. To see where it is set: innctl config explain credential_command',
          '',
        ].join('\n'),
      });
    },
  );

  test.for([
    ['INNCTL_BASE_URL', 'base_url'],
    ['INNCTL_IDENTITY_URL', 'identity_url'],
  ] as const)('does not run the command for the host in %s', async ([variable, key], { folder }) => {
    store(folder);
    const { helper, runs } = printing(token);

    const ended = await cli(list, { folder, helper, env: { [variable]: 'https://elsewhere.example' } });

    expect({ ...ended, stderr: JSON.parse(ended.stderr).error, runs }).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: expect.objectContaining({
        code: 'credential_bound',
        message: `The credential_command of profile chain is for the URLs of that profile, but ${key} (${variable}) is https://elsewhere.example.`,
      }),
      runs: [],
    });
  });

  test('ignores the command in the environment when a flag names the profile', async ({ folder }) => {
    store(folder);
    const { helper, runs } = printing(token);
    propertyRequest(token).reply(200, BER);

    await cli(`${list} --profile chain`, { folder, helper, env: { INNCTL_CREDENTIAL_COMMAND: 'other' } });

    expect(runs.map(({ command }) => command)).toEqual(['vault read chain']);
  });

  test('is complete with its URLs: no prompt, no stored credential', async ({ folder }) => {
    const added = await cli(
      [
        ...['profiles', 'add', 'chain', '--identity-url', IDENTITY, '--base-url', API],
        ...['--credential-command', 'vault read -field=token chain'],
      ],
      { folder },
    );
    const { stdout } = await cli('profiles show chain --json', { folder });
    const { helper } = printing(token);
    propertyRequest(token).reply(200, BER);

    expect(added).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      auth: 'token',
      credential_command: 'vault read -field=token chain',
      credential: 'what credential_command prints',
    });
    expect(await cli(list, { folder, helper })).toMatchObject({ exitCode: 0 });
  });

  test('rejects a secret together with the command', async ({ folder }) => {
    const line = ['profiles', 'add', 'chain', '--identity-url', IDENTITY, '--base-url', API];
    const command = ['--credential-command', 'pass chain', '--token-file', '-', '--json'];

    const ended = await cli([...line, ...command], { folder, stdin: token });

    expect(JSON.parse(ended.stderr).error.details).toEqual([
      { field: '--token-file', reason: 'is not used with --credential-command' },
    ]);
  });
});

test('stderr of the command is printed with secrets redacted and control characters escaped', async ({
  folder,
}) => {
  store(folder);
  const helper: RunHelper = async (_, { say }) => {
    say('Touch your key\u001b[2J');
    say(` for INNCTL\n`);
    return { exitCode: 0, stdout: Buffer.from(token) };
  };
  propertyRequest(token).times(2).reply(200, BER);

  const plain = await cli('properties get BER -o tsv', { folder, helper });
  const json = await cli(list, { folder, helper });

  expect([plain.stderr, json.stderr]).toEqual([
    'Touch your key\\u{1b}[2J for INNCTL\n',
    'warning: credential_command (profile chain) said: Touch your key\\u{1b}[2J for INNCTL\n',
  ]);
});

describe('concurrent callers', () => {
  /** The credentials of a command, with a clock that only the test advances. */
  function credentialsOf(...outputs: readonly (string | Partial<Helped>)[]) {
    const { helper, runs } = printing(...outputs);
    const world = { now: NOW };
    const context = {
      clock: { now: () => world.now, monotonic: () => world.now, sleep: async () => {} },
      env: {},
      helper,
      presentation: { json: false, colour: false, held: [] },
      redactor: createRedactor(),
      stderr: { isTerminal: false, columns: 80, write: async () => {} },
    };
    const source = 'credential_command (profile chain)';
    const credentials = commandCredentials({ command: 'vault', source, context, warn: async () => {} });
    return { credentials, world, runs };
  }
  const eight = Array.from({ length: 8 });

  test('share one run, and another one after a 401', async () => {
    const { credentials, runs } = credentialsOf('first-token', 'second-token');

    const tokens = await Promise.all(eight.map(() => credentials.current(neverAborted())));
    const renewed = await Promise.all(tokens.map((stale) => credentials.renew(stale, neverAborted())));

    expect(new Set(tokens.map(({ header }) => header))).toEqual(new Set(['Bearer first-token']));
    expect(new Set(renewed.map((each) => each?.header))).toEqual(new Set(['Bearer second-token']));
    expect(runs).toHaveLength(2);
  });

  test('share its failure, which is not retried', async () => {
    const { credentials, runs } = credentialsOf({ exitCode: 1 }, 'too-late-token');

    const ended = await Promise.allSettled(eight.map(() => credentials.current(neverAborted())));
    const later = credentials.current(neverAborted());

    await expect(later).rejects.toMatchObject({ code: 'credential_command', exitCode: 4 });
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(runs).toHaveLength(1);
  });

  test('get a new token shortly before the first expires', async () => {
    const first = JSON.stringify({ token: 'first-token', expires_in: 3_600 });
    const { credentials, world, runs } = credentialsOf(first, 'second-token');

    const headers = [];
    for (const seconds of [0, 3_569, 3_571]) {
      world.now = NOW + seconds * 1_000;
      headers.push((await credentials.current(neverAborted())).header);
    }

    expect(headers).toEqual(['Bearer first-token', 'Bearer first-token', 'Bearer second-token']);
    expect(runs).toHaveLength(2);
  });

  test('use a token until it expires when the command returns it again', async () => {
    const first = JSON.stringify({ token: 'first-token', expires_at: '2026-05-01T13:00:00Z' });
    const { credentials, world, runs } = credentialsOf(first);

    const headers = [];
    for (const seconds of [0, 3_580, 3_590]) {
      world.now = NOW + seconds * 1_000;
      headers.push((await credentials.current(neverAborted())).header);
    }

    expect(new Set(headers)).toEqual(new Set(['Bearer first-token']));
    expect(runs).toHaveLength(2);
  });
});

describe('plain http', () => {
  const open = { identity_url: 'http://identity.chain.example', base_url: API, insecure_http: true };

  test('does not carry a token of a command', async ({ folder }) => {
    store(folder, open);
    const { helper, runs } = printing(token);

    const ended = await cli(list, { folder, helper });

    expect({ exitCode: ended.exitCode, code: JSON.parse(ended.stderr).error.code, runs }).toEqual({
      exitCode: 4,
      code: 'unencrypted',
      runs: [],
    });
  });

  test('does not carry a stored credential, even with --insecure-http', async ({ folder }) => {
    store(folder, { ...open, credential_command: undefined });
    const stored = { origins: ['http://identity.chain.example', API], token };
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({ version: 1, profiles: { chain: stored } }),
      {
        mode: 0o600,
      },
    );

    const ended = await cli('properties get BER --insecure-http', { folder });

    expect(ended).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining(
        'error: The credential of profile chain is never sent unencrypted, but identity_url (profile chain) is http://identity.chain.example.\n',
      ),
    });
  });
});
