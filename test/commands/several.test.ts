import { beforeEach, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { type Answer, cli } from '../helpers/cli.ts';
import { ended, outcomes } from '../helpers/ended.ts';
import { watched } from '../helpers/watched.ts';
import { freshFolder } from '../sandbox/harness.ts';

const [ANA, BEN, EMMA] = ['ana@aurora.example', 'ben@aurora.example', 'emma@aurora.example'];
const BEN_ID = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';

let folder = '';
/** The requests that may change something. */
let writes: string[] = [];

beforeEach(async () => {
  folder = await freshFolder();
  writes = [];
});

const connect = watched((request) => {
  if (request.method !== 'GET' && !request.url.endsWith('/token'))
    writes.push(`${request.method} ${new URL(request.url).pathname}`);
});

const dialects = ['apaleo', 'contract'] as const;
type Words = string | readonly string[];

/** Runs a command line in the sandbox. @param answers at a terminal. */
function innctl(line: Words, answers?: readonly Answer[], dialect: (typeof dialects)[number] = 'apaleo') {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const env = { INNCTL_DIALECT: dialect };
  return cli(['--sandbox', ...words], { folder, connect, env, ...(answers && { answers }) });
}

const read = async (line: string) => JSON.parse((await innctl(`${line} --json`)).stdout);
test.each(dialects)('several users gain a property with one consent, dialect %s', async (dialect) => {
  const line = `users update ${BEN} ${EMMA} --add-properties VIE`;

  const refused = await innctl(line, undefined, dialect);
  const before = [...writes];
  const done = await innctl(`${line} --yes --json`, undefined, dialect);
  const again = await innctl(`${line} --yes --json`, undefined, dialect);

  expect(refused).toEqual(
    ended(
      11,
      expect.stringContaining(
        `hint: To consent: innctl --sandbox users update ${BEN} ${EMMA} --add-properties VIE --yes\n`,
      ),
    ),
  );
  expect(before).toEqual([]);
  expect([done.exitCode, outcomes(done.stdout)]).toEqual([
    0,
    [
      [BEN, 'change', 'done'],
      [EMMA, 'change', 'done'],
    ],
  ]);
  expect(JSON.parse(done.stdout).summary).toEqual({ done: 2, failed: 0, unknown: 0, not_attempted: 0 });
  expect(outcomes(again.stdout)).toEqual([
    [BEN, 'same', 'done'],
    [EMMA, 'same', 'done'],
  ]);
  expect(writes).toHaveLength(2);
  expect((await read(`users get ${BEN}`)).properties).toEqual(['BER', 'MUC', 'VIE']);
});

test('at a terminal the plan is shown, and one question asked', async () => {
  const line = `users update ${BEN} ${EMMA} --remove-properties MUC`;

  const no = await innctl(line, [false]);
  const nothing = [...writes];
  const yes = await innctl(line, [true]);

  expect([no.exitCode, nothing]).toEqual([11, []]);
  expect(no.stderr).toContain('BER, MUC → BER');
  expect([yes.exitCode, writes.length]).toEqual([0, 2]);
});

test.each([
  [
    'users disable ben@aurora.example emma@aurora.example',
    'disables 2 users: ben@aurora.example, emma@aurora.example',
  ],
  ['properties delete MUC VIE', 'deletes 2 properties: MUC (Isar Hotel Munich), VIE (Ring Hotel Vienna)'],
])(
  '%s: --yes is not enough, --confirm names each, a terminal asks for their number',
  async (line, sentence) => {
    const names = line.split(' ').slice(2);

    const consented = await innctl(`${line} --yes`);
    const half = await innctl(`${line} --confirm ${names[0]}`);
    const other = await innctl(`${line} --confirm ${names.join(',')},BER`);
    const wrong = await innctl(line, ['3']);
    const left = await innctl(line, [new Interruption('SIGINT')]);
    const unsent = [...writes];
    const dry = await innctl(`${line} --dry-run`);
    const right = await innctl(line, ['2']);

    expect(consented).toEqual(
      ended(
        11,
        expect.stringContaining(
          `error: This ${sentence}. That needs consent by name.\n` +
            `hint: To consent, for which --yes is not enough: innctl --sandbox ${line} --yes --confirm ${names.join(',')}\n`,
        ),
      ),
    );
    expect(half.stderr).toContain(`--confirm ${names[0]} --confirm ${names[1]}\n`);
    expect(other.stderr).toContain('--confirm says "BER", which is not part of it.');
    expect(wrong.stderr).toContain('"3" is not 2; nothing was done.');
    expect(left.stderr).toContain('Interrupted by SIGINT; nothing was sent.');
    expect([half, other, wrong, left, dry].map(({ exitCode }) => exitCode)).toEqual([11, 11, 11, 130, 0]);
    expect(unsent).toEqual([]);
    expect([right.exitCode, writes.length]).toEqual([0, 2]);
  },
);

test('--confirm takes addresses and subject ids, repeated or with commas', async () => {
  const done = await innctl(`users disable ${BEN_ID} ${EMMA} --confirm ${BEN} --confirm ${EMMA} --json`);

  expect(outcomes(done.stdout)).toEqual([
    [BEN, 'change', 'done'],
    [EMMA, 'change', 'done'],
  ]);
});

test('several invitations are withdrawn; a repeat needs --ignore-not-found', async () => {
  const line = 'invite delete lea.wagner@aurora.example NORA.fuchs@aurora.example --yes';

  const done = await innctl(`${line} --json`);
  const again = await innctl(line);
  const ignored = await innctl(`${line} --ignore-not-found --json`);

  expect(outcomes(done.stdout)).toEqual([
    ['lea.wagner@aurora.example', 'delete', 'done'],
    ['nora.fuchs@aurora.example', 'delete', 'done'],
  ]);
  expect(again.exitCode).toBe(3);
  expect(ignored.exitCode).toBe(0);
  expect(writes).toHaveLength(2);
});

test.each(dialects)('several properties are updated, dialect %s', async (dialect) => {
  const line = 'properties update BER MUC --name de=Haus --yes --json';

  const done = await innctl(line, undefined, dialect);
  const again = await innctl(line, undefined, dialect);

  expect(outcomes(done.stdout)).toEqual([
    ['BER', 'change', 'done'],
    ['MUC', 'change', 'done'],
  ]);
  expect(outcomes(again.stdout)).toEqual([
    ['BER', 'same', 'done'],
    ['MUC', 'same', 'done'],
  ]);
});

test('several records are read as a list', async () => {
  const users = await read(`users get ${BEN_ID} ${EMMA}`);
  const hotels = await read('properties get BER MUC --languages de');

  expect([users.count, users.items.map(({ email }: { email: string }) => email)]).toEqual([2, [BEN, EMMA]]);
  expect([hotels.count, hotels.items.map(({ id }: { id: string }) => id)]).toEqual([2, ['BER', 'MUC']]);
});

test('the same record twice is taken once', async () => {
  const words = await innctl(`users update ${BEN} ${BEN} --add-properties VIE`);
  const forms = await innctl(`users update ${BEN} ${BEN_ID} --add-properties BER --yes --json`);

  expect(words).toEqual(expect.objectContaining({ exitCode: 0, stdout: '' }));
  expect(outcomes(forms.stdout)).toEqual([[BEN, 'same', 'done']]);
});

test.each<[Words, number, string]>([
  [
    `users get ${ANA} nobody benn@aurora.example`,
    3,
    'error: Not found: 2 of 3 users. Nothing was done.\n' +
      '  nobody: there is no such user\n' +
      '  benn@aurora.example: there is no such user\n' +
      'hint: innctl ',
  ],
  [`users update ${BEN} ${EMMA} --add-properties VEI --yes`, 3, 'hint: Did you mean VIE?\n'],
  ['properties update BER MUN --name de=X --yes', 3, '  MUN: there is no such property\n'],
  [
    'invite delete lea.wagner@aurora.example x@example.com --yes',
    3,
    '  x@example.com: there is no such invitation\n',
  ],
  [['properties', 'delete', '..', 'a/b', ''], 2, '  id "": must not be empty\n'],
  [
    `users update ${BEN} ${EMMA} --patch [{"op":"add","path":"/properties/-","value":"VIE"}]`,
    2,
    'for one user at a time',
  ],
  [`users update ${BEN} ${EMMA}`, 2, 'error: No changes given.\n'],
  [`users disable ${BEN} ${ANA} --confirm ${BEN},${ANA}`, 11, 'This would lock you out'],
])('%j: exit %i and nothing is sent', async (line, exitCode, message) => {
  const result = await innctl(line);

  expect(result).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
  expect(writes).toEqual([]);
});

test('users who would leave no account admin are judged together, and --allow-lockout takes several', async () => {
  await innctl(`users update ${BEN} --is-account-admin true --yes`);
  // Demoted, not disabled: the sandbox rejects the token of a disabled user.
  const line = `users update ${ANA} ${BEN} --is-account-admin false --yes`;
  writes = [];

  const own = await innctl(line);
  const last = await innctl(`${line} --allow-lockout ${ANA}`);
  const unsent = [...writes];
  const both = await innctl(`${line} --allow-lockout ${ANA},${BEN}`);

  expect(own.stderr).toContain(`This would lock you out: ${ANA} is your own user.`);
  expect(last.stderr).toContain('No enabled account admin would be left');
  expect([own.exitCode, last.exitCode, unsent]).toEqual([11, 11, []]);
  expect([both.exitCode, writes.length]).toEqual([0, 2]);
});

test('users are taken from one list, however many there are', async () => {
  const strangers = Array.from({ length: 10_000 }, (_, index) => `user-${index}@example.com`);

  const result = await innctl(['users', 'get', BEN, ...strangers]);

  expect(result.exitCode).toBe(3);
  expect(result.stderr).toContain('Not found: 10000 of 10001 users.');
  expect(result.stderr).toContain('and 9980 more');
});
