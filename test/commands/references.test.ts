import { beforeEach, describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { type Answer, cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { watched } from '../helpers/watched.ts';
import { freshFolder } from '../sandbox/harness.ts';

let folder = '';
/** The requests about records, without their query. */
let sent: string[] = [];

beforeEach(async () => {
  folder = await freshFolder();
  sent = [];
});

const connect = watched((request) => {
  const { pathname } = new URL(request.url);
  if (/users|properties|invitations|roles/.test(pathname) && !pathname.endsWith('/me'))
    sent.push(`${request.method} ${pathname}`);
});

const wrote = () => sent.filter((line) => !line.startsWith('GET'));

/** Runs a command line in the sandbox. @param answers at a terminal. */
function innctl(words: readonly string[], answers?: readonly Answer[], env: Record<string, string> = {}) {
  const all = { INNCTL_DIALECT: 'apaleo', NO_COLOR: '1', ...env };
  return cli(['--sandbox', ...words], { folder, connect, env: all, ...(answers && { answers }) });
}

describe('at a terminal a name finds a record', () => {
  test.each<[readonly string[], string, string]>([
    [['users', 'get', 'Lindner'], 'ana@aurora.example (Ana Lindner)\n', '0001'],
    [['users', 'get', 'lindner ana'], 'ana@aurora.example (Ana Lindner)\n', '0001'],
    [['properties', 'get', 'Grand Hotel Berlin'], 'BER (Grand Hotel Berlin)\n', 'BER'],
    [['properties', 'get', 'Munchen'], 'MUC (Isar Hotel Munich)\n', 'MUC'],
    [['hotels', 'get', 'München'], 'MUC (Isar Hotel Munich)\n', 'MUC'],
  ])('%j', async (words, note, id) => {
    const { exitCode, stdout, stderr } = await innctl(words, []);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: note });
    expect(stdout).toContain(id);
  });

  test('several matches are listed: exit 12', async () => {
    expect(await innctl(['properties', 'get', 'hotel'], [])).toEqual(
      ended(
        12,
        'error: "hotel" matches 3 properties:\n' +
          '  BER: Grand Hotel Berlin\n  MUC: Isar Hotel Munich\n  VIE: Ring Hotel Vienna\n',
      ),
    );
  });

  test.each([[['users', 'update', 'Schuster', '--add-properties', 'VIE']], [['users', 'enable', 'Lorenz']]])(
    'a write asks first: %j',
    async (words) => {
      const no = await innctl(words, [false]);
      const left = await innctl(words, [new Interruption('SIGINT')]);
      const unsent = wrote();
      const yes = await innctl(words, [true]);

      expect([no.exitCode, left.exitCode, unsent]).toEqual([11, 130, []]);
      expect([yes.exitCode, wrote().length]).toEqual([0, 1]);
    },
  );

  test('--yes does not answer whether a record is meant', async () => {
    const result = await innctl(
      ['users', 'update', 'Schuster', '--remove-properties', 'MUC', '--yes'],
      [false],
    );

    expect([result.exitCode, wrote()]).toEqual([11, []]);
  });

  test('a deletion asks whether the property is meant, then for its id', async () => {
    const result = await innctl(['properties', 'delete', 'Ring Hotel Vienna'], [true, 'VIE']);

    expect([result.exitCode, wrote()]).toEqual([0, ['DELETE /inventory/v1/properties/VIE']]);
  });

  test('several references may be names', async () => {
    const result = await innctl(['properties', 'get', 'Berlin', 'Ring Hotel Vienna'], []);
    const off = await innctl(['properties', 'get', 'BER', 'Ring Hotel Vienna']);
    const missing = await innctl(['users', 'get', 'Ana Lindner', 'No Body'], []);

    expect([result.exitCode, result.stderr]).toEqual([
      0,
      'BER (Grand Hotel Berlin)\nVIE (Ring Hotel Vienna)\n',
    ]);
    expect([off.exitCode, missing.exitCode]).toEqual([2, 3]);
    expect(missing.stderr).toContain('  No Body: there is no such user\n');
  });

  test('an id costs no further request', async () => {
    await innctl(['properties', 'get', 'BER'], []);

    expect(sent).toEqual(['GET /inventory/v1/properties/BER']);
  });

  test.each(['nobody', 'a/b', '', '--'])('%j is no name', async (word) => {
    const expected = await innctl(['users', 'get', '--', word]);

    const found = await innctl(['users', 'get', '--', word], []);

    expect(found.exitCode).toBe(expected.exitCode);
    expect([2, 3]).toContain(found.exitCode);
  });

  test.each<[readonly string[], readonly Answer[] | undefined, Record<string, string>]>([
    [[], undefined, {}],
    [['--json'], [], {}],
    [[], [], { CI: 'true' }],
  ])('not otherwise: %j %j %j', async (flags, answers, env) => {
    const user = await innctl(['users', 'get', 'Lindner', ...flags], answers, env);
    const property = await innctl(['properties', 'get', 'Grand Hotel Berlin', ...flags], answers, env);

    expect([user.exitCode, property.exitCode]).toEqual([3, 2]);
  });
});

describe('a missing reference', () => {
  test.each<[string, Answer]>([
    ['users enable', ['karl@aurora.example']],
    ['properties update --name de=X', ['VIE']],
    ['users update --add-properties VIE', ['emma@aurora.example']],
  ])('is asked for: %s', async (line, answer) => {
    const words = line.split(' ');

    const left = await innctl(words, [new Interruption('SIGINT')]);
    const unsent = wrote();
    const done = await innctl(words, [answer]);

    expect([left.exitCode, unsent]).toEqual([130, []]);
    expect(done.exitCode).toBe(0);
  });

  test('several are chosen for a write', async () => {
    const chosen = ['lea.wagner@aurora.example', 'nora.fuchs@aurora.example'];

    const result = await innctl(['invite', 'delete'], [chosen, true]);

    expect([result.exitCode, wrote().length]).toEqual([0, 2]);
  });

  test('hints have the ones that were chosen', async () => {
    const result = await innctl(['properties', 'delete'], [['MUC'], 'VIE']);

    expect(result).toEqual(ended(11, expect.stringContaining('"VIE" is not MUC')));
  });

  test('none chosen: exit 2', async () => {
    expect(await innctl(['invite', 'delete'], [[]])).toEqual(
      ended(2, 'error: No invitation was chosen; nothing was sent.\n'),
    );
  });

  test.each([
    ['users get', 'subject-id|e-mail'],
    ['users revoke --all', 'subject-id|e-mail'],
    ['users disable', 'subject-id|e-mail'],
    ['properties delete', 'id'],
    ['invitations delete', 'email'],
  ])('off a terminal is named: %s', async (line, argument) => {
    const command = line.split(' ').slice(0, 2).join(' ');
    const expected = ended(
      2,
      `error: missing required argument '${argument}'\nhint: innctl ${command} --help\n`,
    );

    // Also without a login: nothing is needed to say so.
    const results = [
      await innctl(line.split(' ')),
      await cli(line),
      await innctl([...line.split(' '), '--no-input'], []),
    ];

    expect(results).toEqual([expected, expected, expected]);
  });
});

describe('a role', () => {
  test('is left to the service', async () => {
    const words = ['invite', 'create', 'a@example.com', '--role', 'Housekeepin', '--properties', 'BER'];

    expect((await innctl(words)).exitCode).toBe(6);
  });

  test('is chosen first', async () => {
    const answers = [['Housekeeping'], 'a@example.com', ['BER'], true];

    const { exitCode, stderr } = await innctl(['invite', 'create'], answers);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'Equivalent command: innctl --sandbox invite create --email a@example.com --role Housekeeping --properties BER',
    );
  });
});
