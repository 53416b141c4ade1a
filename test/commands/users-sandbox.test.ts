import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Interruption } from '../../src/context.ts';
import { connectUndici } from '../../src/http/undici.ts';
import type { Connect } from '../../src/transport.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { against as misbehaving } from '../helpers/misbehaving.ts';

const BEN = 'ben@aurora.example';
const BEN_ID = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';

let folder = '';
let patches = 0;
let onPatchSent = () => {};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  patches = 0;
  onPatchSent = () => {};
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The real way to the service, with its patches counted. */
const connect: Connect = async (options) => {
  const transport = await connectUndici(options);
  return {
    close: transport.close,
    request: (request) => {
      if (request.method !== 'PATCH') return transport.request(request);
      patches += 1;
      const onSent = () => {
        request.onSent?.();
        onPatchSent();
      };
      return transport.request({ ...request, onSent });
    },
  };
};

const innctl = (line: string | readonly string[], situation: Situation = {}) =>
  cli(line, { folder, connect, ...situation });

const against = (faults: readonly string[], line: string | readonly string[], situation: Situation = {}) =>
  misbehaving(faults, line, { connect, ...situation, folder });

const userNow = async (reference = BEN) =>
  JSON.parse((await innctl(`--sandbox users get ${reference} --json`)).stdout);

test('users are listed, filtered and found', async () => {
  const all = await innctl('--sandbox users list --all --json');
  const some = await innctl('--sandbox users list --property MUC,VIE -o ndjson --page-size 2 --all');
  const first = await innctl('--sandbox users list --limit 1');

  expect(JSON.parse(all.stdout).items.map(({ email }: { email: string }) => email.split('@')[0])).toEqual([
    ...['ana', 'ben', 'clara', 'david', 'emma', 'felix', 'greta', 'hanna', 'ivan', 'julia', 'karl', 'lukas'],
  ]);
  expect(
    some.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).first_name),
  ).toEqual([...['Ben', 'David', 'Emma', 'Greta', 'Hanna', 'Ivan', 'Julia']]);
  expect(first).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^6f1c2a4e-0001-\S+\tana@aurora\.example\tAna\tLindner\ttrue\ttrue\ttrue\t\n$/,
    ),
    stderr: '',
  });
});

test('a user is shown by e-mail as by subject id, and oneself as me', async () => {
  const byEmail = await innctl(`--sandbox users get ${BEN} --json`);
  const byId = await innctl(`--sandbox user show ${BEN_ID} --json`);
  const me = await innctl('--sandbox users me --json');

  expect(byId).toEqual(byEmail);
  expect(JSON.parse(byId.stdout)).toMatchObject({ email: BEN, properties: ['BER', 'MUC'] });
  expect(JSON.parse(me.stdout)).toMatchObject({ email: 'ana@aurora.example', is_account_admin: true });
});

test('where nobody was meant, the hint leads to the list of the same service', async () => {
  expect(await innctl('--sandbox users get zacharias@hotel-zoo.example')).toEqual({
    exitCode: 3,
    stdout: '',
    stderr:
      'error: There is no user with the e-mail address "zacharias@hotel-zoo.example".\n' +
      'hint: innctl --sandbox users list --all\n',
  });
});

test.each([
  ['--add-properties VIE', { enabled: true, properties: ['BER', 'MUC', 'VIE'] }],
  ['--property VIE', { enabled: true, properties: ['BER', 'MUC', 'VIE'] }],
  ['--set-properties VIE', { enabled: true, properties: ['VIE'] }],
  ['--set /properties=[]', { enabled: true, properties: [] }],
  [`--disable --confirm ${BEN}`, { enabled: false, properties: ['BER', 'MUC'] }],
  [`--set '/lastName="Novak"'`, { last_name: 'Novak', enabled: true }],
])('users update %s', async (flags, expected) => {
  expect(await innctl(`--sandbox users update ${BEN} ${flags}`)).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `Updated user ${BEN}: confirmed.\n`,
  });
  expect(await userNow()).toMatchObject(expected);
});

test('a user who was kept out is let in again', async () => {
  const result = await innctl('--sandbox users update karl@aurora.example --enable --add-properties MUC');

  expect(result.stderr).toBe('Updated user karl@aurora.example: confirmed.\n');
  expect(await userNow('karl@aurora.example')).toMatchObject({ enabled: true, properties: ['BER', 'MUC'] });
});

test('a dry run leaves the user alone', async () => {
  const result = await innctl(
    `--sandbox users update ${BEN} --disable --add-properties VIE --dry-run --json`,
  );

  expect(JSON.parse(result.stdout).requests[0].body).toEqual([
    { op: 'replace', path: '/enabled', value: false },
    { op: 'add', path: '/properties', value: ['BER', 'MUC', 'VIE'] },
  ]);
  expect({ patches, user: await userNow() }).toMatchObject({
    patches: 0,
    user: { enabled: true, properties: ['BER', 'MUC'] },
  });
});

test('a property that does not exist is refused, and the near one named', async () => {
  const result = await innctl(`--sandbox users update ${BEN} --add-properties VIEN`);

  expect({ ...result, patches }).toEqual({
    exitCode: 6,
    stdout: '',
    stderr: expect.stringContaining('hint: Did you mean VIE?'),
    patches: 1,
  });
});

describe('an update under faults', () => {
  const line = `users update ${BEN} --add-properties VIE`;
  const confirmed = { exitCode: 0, stdout: '', stderr: `Updated user ${BEN}: confirmed.\n` };

  test.each([
    ['carried out, and its answer lost', 'drop-after:nth=1,operation=updateUser', 1],
    ['not carried out', 'drop-before:nth=1,operation=updateUser', 2],
    ['failing', '500:nth=1,operation=updateUser', 2],
    ['throttled', '429:nth=1,operation=updateUser', 2],
  ])('%s, ends as it was meant', async (_, fault, sendings) => {
    expect({ ...(await against([fault], line)), patches }).toEqual({ ...confirmed, patches: sendings });
    expect((await userNow()).properties).toEqual(['BER', 'MUC', 'VIE']);
  });

  test('that never comes through is unknown, and the command that was given settles it', async () => {
    const result = await against(['drop-before:operation=updateUser'], line);

    expect({ exitCode: result.exitCode, stdout: result.stdout, patches }).toEqual({
      exitCode: 8,
      stdout: '',
      patches: 3,
    });
    const [, look = '', again = ''] = /\n {2}innctl (.*)\n.*\n {2}innctl (.*)\n/.exec(result.stderr) ?? [];
    expect(JSON.parse((await against([], `${look} --json`)).stdout).properties).toEqual(['BER', 'MUC']);
    expect(await against([], again)).toEqual(confirmed);
  });

  test('whose user cannot be read afterwards is unknown, and not sent again', async () => {
    const faults = ['drop-after:nth=1,operation=updateUser', '500:operation=getUser'];

    const result = await against(faults, `users update ${BEN_ID} --set-properties VIE`);

    expect({ ...result, patches }).toEqual({
      exitCode: 8,
      stdout: '',
      stderr: expect.stringContaining(`hint: This shows what is there:\n  innctl users get ${BEN_ID}\n`),
      patches: 1,
    });
  });

  test('that is interrupted in flight stays in doubt', async () => {
    const stop = new AbortController();
    onPatchSent = () => stop.abort(new Interruption('SIGINT'));

    const result = await against(['slow-head:operation=updateUser'], line, { signal: stop.signal });

    expect({ ...result, patches }).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: expect.stringContaining('hint: This shows what is there:'),
      patches: 1,
    });
  });

  test('that the service took is done, although reading back fails', async () => {
    const result = await against(['500:operation=getUser'], `users update ${BEN_ID} --set-properties VIE`);

    expect({ exitCode: result.exitCode, stderr: result.stderr, patches }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^Updated user \S+: not readable \(Could not get the user: .*\)\.\n$/),
      patches: 1,
    });
  });
});
