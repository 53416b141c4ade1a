import { expect, test } from 'vitest';
import { CliError, OutcomeUnknown } from '../../src/cli/errors.ts';
import { ExitCode } from '../../src/cli/exit-codes.ts';
import { Interruption } from '../../src/cli/ports.ts';
import {
  changedProperty,
  changedUser,
  left,
  newInvitation,
  newProperty,
  settled,
  stage,
  still,
  told,
} from './stage.ts';

const refusal = new CliError('conflict', 'The code is taken.', { exitCode: ExitCode.refused, status: 409 });
const noAnswer = new OutcomeUnknown('Nobody answered.');

/** Rejects for the requests that these words begin. */
const failing =
  (error: Error, ...starts: readonly string[]) =>
  (request: string) => {
    if (starts.some((start) => request.startsWith(start))) throw error;
  };

test('properties come first, people need their ids, and deletions go last, people before properties', async () => {
  const { run, events, bodies } = stage();
  const items = [
    changedUser('ben@example.com', 'u-1', 'ham', 'BER'),
    settled('property', 'OLD', 'delete', 'OLD'),
    settled('invitation', 'eva@example.com', 'delete'),
    newInvitation('ana@example.com', 'HAM'),
    newProperty('HAM'),
    changedProperty('BER'),
  ];

  const { results } = await run(items);

  expect(events.filter((event) => /^[A-Z]/.test(event))).toEqual([
    'POST property HAM',
    'PATCH property BER',
    'PATCH user u-1',
    'POST invitation ana@example.com',
    'DELETE invitation eva@example.com',
    'DELETE property OLD',
  ]);
  expect(bodies).toEqual([
    { body: { code: 'HAM', name: { en: 'HAM' } }, key: 'key-of-HAM' },
    [{ op: 'replace', path: '/companyName', value: 'Nord GmbH' }],
    [{ op: 'add', path: '/properties', value: ['id-of-HAM', 'BER'] }],
    { email: 'ana@example.com', properties: ['id-of-HAM'] },
  ]);
  expect(told(results)).toEqual([
    'done ben@example.com u-1',
    'done OLD OLD',
    'done eva@example.com',
    'done ana@example.com',
    'done HAM id-of-HAM',
    'done BER BER',
  ]);
});

test('all rows are planned in the journal before the first request, and each is sent there before it is sent', async () => {
  const { run, events } = stage();

  await run([newProperty('HAM'), newInvitation('ana@example.com')]);

  expect(events).toEqual([
    'planned property HAM',
    'planned invitation ana@example.com',
    'sent property HAM',
    'POST property HAM',
    'done property HAM',
    'sent invitation ana@example.com',
    'POST invitation ana@example.com',
    'done invitation ana@example.com',
  ]);
});

test('the journal keeps key, id and digest of a creation', async () => {
  const { run, rows } = stage();

  await run([newProperty('HAM')]);

  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(rows.at(-1)).toEqual({
    kind: 'property',
    name: 'HAM',
    action: 'create',
    state: 'done',
    hash,
    key: 'key-of-HAM',
    id: 'id-of-HAM',
  });
});

test('so many rows are under way as were asked for, and no more', async () => {
  let underWay = 0;
  let most = 0;
  const { run } = stage({
    on: async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    },
  });

  await run(['A', 'B', 'C', 'D', 'E'].map(newProperty), { concurrency: 3 });

  expect(most).toBe(3);
});

test('what needs no request is done, what is in conflict has failed, and neither is in the journal', async () => {
  const { run, events } = stage();

  const { results } = await run([
    settled('property', 'BER', 'same', 'BER'),
    settled('property', 'MUC', 'cannot_compare', 'MUC'),
    settled('property', 'VIE', 'conflict'),
  ]);

  expect(told(results)).toEqual(['done BER BER', 'done MUC MUC', 'failed VIE (conflict)']);
  expect(events).toEqual([]);
});

test('a refusal is the end of its row alone', async () => {
  const { run, events } = stage({ on: failing(refusal, 'POST property HAM') });

  const { results, stoppedBy } = await run([newProperty('HAM'), newProperty('KIE')]);

  expect({ told: told(results), stoppedBy }).toEqual({
    told: ['failed HAM (conflict)', 'done KIE id-of-KIE'],
    stoppedBy: undefined,
  });
  expect(events).toContain('failed property HAM');
});

test('a person whose property was not created is not attempted', async () => {
  const { run, events } = stage({ on: failing(refusal, 'POST property HAM') });
  const items = [
    newProperty('HAM'),
    newInvitation('ana@example.com', 'BER', 'HAM'),
    changedUser('ben@example.com', 'u-1', 'HAM'),
    newInvitation('eva@example.com', 'BER'),
  ];

  const { results } = await run(items);

  expect(told(results)).toEqual([
    'failed HAM (conflict)',
    'not_attempted ana@example.com (not_attempted)',
    'not_attempted ben@example.com u-1 (not_attempted)',
    'done eva@example.com',
  ]);
  expect(events).not.toContain('sent invitation ana@example.com');
});

test('a person is not attempted either while nobody knows whether the property is there', async () => {
  const memory = [left({ kind: 'property', name: 'HAM', action: 'create', state: 'unknown' })];
  const { run, events } = stage({ memory });

  const { results } = await run([
    settled('property', 'HAM', 'cannot_tell'),
    newInvitation('ana@example.com', 'ham'),
  ]);

  expect(told(results)).toEqual([
    'unknown HAM (outcome_unknown)',
    'not_attempted ana@example.com (not_attempted)',
  ]);
  expect(events).toEqual(['planned invitation ana@example.com']);
});

test('what is to be deleted and is gone counts as deleted', async () => {
  const gone = new CliError('not_found', 'Nothing was found there.', { exitCode: ExitCode.notFound });
  const { run } = stage({ on: failing(gone, 'DELETE') });

  const { results } = await run([settled('property', 'OLD', 'delete', 'OLD')]);

  expect(told(results)).toEqual(['done OLD OLD']);
});

test('what is to be changed and is gone has failed', async () => {
  const gone = new CliError('not_found', 'Nothing was found there.', { exitCode: ExitCode.notFound });
  const { run } = stage({ on: failing(gone, 'PATCH') });

  const { results } = await run([changedProperty('BER')]);

  expect(told(results)).toEqual(['failed BER BER (not_found)']);
});

const unsettled = ['unknown HAM (outcome_unknown)', 'unknown property HAM'] as const;

test.each([
  ['the code that the list shows', [{ id: 'p-7', code: 'ham' }], {}, ['done HAM p-7', 'done property HAM']],
  ['a code with blanks around it', [{ id: 'p-7', code: ' HAM ' }], {}, ['done HAM p-7', 'done property HAM']],
  [
    'the record whose id is the code',
    [{ id: 'ham' }],
    { ham: { id: 'ham', code: 'HAM' } },
    ['done HAM ham', 'done property HAM'],
  ],
  [
    'a record that is gone by then',
    [{ id: 'HAM' }, { id: 'p-7', code: 'HAM' }],
    {},
    ['done HAM p-7', 'done property HAM'],
  ],
  ['a record that shows no code', [{ id: 'HAM' }], { HAM: { id: 'HAM' } }, unsettled],
  ['the code of something without an id', [{ code: 'HAM' }], {}, unsettled],
  [
    'the code twice',
    [
      { id: 'a', code: 'HAM' },
      { id: 'b', code: 'HAM' },
    ],
    {},
    unsettled,
  ],
  ['nothing', [], {}, unsettled],
] as const)(
  'a creation without an answer is looked for once, by %s',
  async (_, listed, read, [line, last]) => {
    const { run, events } = stage({ on: failing(noAnswer, 'POST'), listed, read });

    const { results } = await run([newProperty('HAM')]);

    const asked = events.filter((event) => event === 'POST property HAM' || event === 'GET properties');
    const written = events.filter((event) => /^[a-z]/.test(event));
    expect({ told: told(results), asked, last: written.at(-1) }).toEqual({
      told: [line],
      asked: ['POST property HAM', 'GET properties'],
      last,
    });
  },
);

test('a code is found again however its letters are composed', async () => {
  const { run } = stage({ on: failing(noAnswer, 'POST'), listed: [{ id: 'p-7', code: '\u00c9T' }] });

  const { results } = await run([newProperty('E\u0301T')]);

  expect(told(results)).toEqual(['done E\u0301T p-7']);
});

test('a person may have the property whose creation was found afterwards', async () => {
  const { run, bodies } = stage({
    on: failing(noAnswer, 'POST property'),
    listed: [{ id: 'p-7', code: 'HAM' }],
  });

  await run([newInvitation('ana@example.com', 'HAM'), newProperty('HAM')]);

  expect(bodies.at(-1)).toEqual({ email: 'ana@example.com', properties: ['p-7'] });
});

test('an invitation without an answer stays unknown, and is not sent again', async () => {
  const { run, events } = stage({ on: failing(noAnswer, 'POST') });

  const { results } = await run([newInvitation('ana@example.com')]);

  expect(told(results)).toEqual(['unknown ana@example.com (outcome_unknown)']);
  expect(events).toEqual([
    'planned invitation ana@example.com',
    'sent invitation ana@example.com',
    'POST invitation ana@example.com',
    'unknown invitation ana@example.com',
  ]);
});

test('an error that nobody foresaw leaves the row in doubt, ends the run and is not swallowed', async () => {
  const fault = new TypeError('undefined is not a function');
  const { run } = stage({ on: failing(fault, 'POST property HAM') });

  const { results, stoppedBy } = await run([newProperty('HAM'), newProperty('KIE')]);

  expect(told(results)).toEqual(['unknown HAM (outcome_unknown)', 'not_attempted KIE (not_attempted)']);
  expect(stoppedBy).toBe(fault);
});

test('the first ^C begins no further row, and lets those under way come to their end', async () => {
  const stop = new AbortController();
  const interruption = new Interruption('SIGINT');
  const { run, events } = stage({ on: () => stop.abort(interruption) });

  const { results, stoppedBy } = await run([newProperty('HAM'), newProperty('KIE')], { signal: stop.signal });

  expect(told(results)).toEqual(['done HAM id-of-HAM', 'not_attempted KIE (not_attempted)']);
  expect(stoppedBy).toBe(interruption);
  expect(events.slice(-3)).toEqual(['done property HAM', 'failed property KIE', 'planned property KIE']);
});

test('a run whose time is over begins no further row', async () => {
  let now = 0;
  const { run } = stage({
    on: () => {
      now = 1_000;
    },
  });

  const { results, stoppedBy } = await run([newProperty('HAM'), newProperty('KIE')], {
    deadline: 1_000,
    clock: { ...still, monotonic: () => now },
  });

  expect(told(results)).toEqual(['done HAM id-of-HAM', 'not_attempted KIE (not_attempted)']);
  expect(stoppedBy).toMatchObject({ code: 'timeout', exitCode: ExitCode.unavailable });
});

test('a run whose time is over when its last row is done has done all', async () => {
  let now = 0;
  const { run } = stage({
    on: () => {
      now = 1_000;
    },
  });

  const { results, stoppedBy } = await run([newProperty('HAM')], {
    deadline: 1_000,
    clock: { ...still, monotonic: () => now },
  });

  expect({ told: told(results), stoppedBy }).toEqual({ told: ['done HAM id-of-HAM'], stoppedBy: undefined });
});
