import { describe, expect, test } from 'vitest';
import { Overtaken } from '../../src/journal/journal.ts';
import { CliError, ExitCode, OutcomeUnknown } from '../../src/model/errors.ts';
import { hashOf } from '../../src/model/json-text.ts';
import {
  changedProperty,
  changedUser,
  newInvitation,
  newProperty,
  resultLines,
  settled,
  stage,
  still,
} from './stage.ts';

const refusal = new CliError('conflict', 'The code is taken.', { exitCode: ExitCode.refused, status: 409 });
const noAnswer = new OutcomeUnknown('Nobody answered.');

/** Rejects requests whose description begins with one of these. */
const failing =
  (error: Error, ...starts: readonly string[]) =>
  (request: string) => {
    if (starts.some((start) => request.startsWith(start))) throw error;
  };

test('properties come first, people use their ids, and deletions come last, people before properties', async () => {
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
    'GET properties',
  ]);
  expect(bodies).toEqual([
    { body: { code: 'HAM', name: { en: 'HAM' } }, key: 'key-of-HAM' },
    [{ op: 'replace', path: '/companyName', value: 'Nord GmbH' }],
    [{ op: 'add', path: '/properties', value: ['id-of-HAM', 'BER'] }],
    { email: 'ana@example.com', properties: ['id-of-HAM'] },
  ]);
  expect(resultLines(results)).toEqual([
    'done ben@example.com u-1',
    'done OLD OLD',
    'done eva@example.com',
    'done ana@example.com',
    'done HAM id-of-HAM',
    'done BER BER',
  ]);
});

test('the journal keeps which creations a read has shown since', async () => {
  const { run, seen } = stage({
    memory: [
      { kind: 'property', name: 'HAM', outcome: 'silence' },
      { kind: 'property', name: 'KIE', outcome: 'unknown' },
      { kind: 'property', name: 'LEI', isShown: true },
    ],
    listed: [{ id: 'id-of-VIE', code: 'VIE' }],
  });

  await run([
    settled('property', 'HAM', 'same', 'p-1'),
    { ...changedProperty('KIE'), id: 'p-2', seen: 'x' },
    settled('property', 'LEI', 'same', 'p-3'),
    newProperty('VIE'),
    newProperty('ZRH'),
  ]);

  expect(seen).toEqual(['property HAM p-1', 'property KIE p-2', 'property VIE id-of-VIE']);
});

describe('when the journal cannot be written', () => {
  const full = new CliError('journal_failed', 'The disk is full.');
  /** Fails at this record, and at every later one. */
  const fullFrom = (name: string) => {
    let isFull = false;
    return (record: string) => {
      isFull ||= record.endsWith(name);
      if (isFull) throw full;
    };
  };

  test.each([
    newProperty('HAM'),
    newInvitation('HAM'),
    changedProperty('HAM'),
    settled('property', 'HAM', 'delete', 'HAM'),
  ])('before a request ($kind $action): neither it nor a later one is sent', async (item) => {
    const { run, events } = stage({ onAnnounce: fullFrom('HAM') });

    const { results, stoppedBy } = await run([item, settled('property', 'OLD', 'delete', 'OLD')]);

    expect({ events, stoppedBy }).toEqual({ events: [], stoppedBy: full });
    expect(results.map(({ outcome }) => outcome)).toEqual(['not_attempted', 'not_attempted']);
  });

  test('after a request: its result is kept, and nothing more is sent, not even a lookup', async () => {
    const { run, events } = stage({ onAnnounce: fullFrom('KIE') });

    const { results, stoppedBy } = await run(['HAM', 'KIE', 'LEI'].map(newProperty));

    expect(events).toEqual(['sent property HAM', 'POST property HAM', 'done property HAM']);
    expect(stoppedBy).toBe(full);
    expect(resultLines(results)).toEqual([
      'done HAM id-of-HAM',
      'not_attempted KIE (not_attempted)',
      'not_attempted LEI (not_attempted)',
    ]);
  });
});

test('what another process created meanwhile is done if it is the same', async () => {
  const { run, events } = stage({
    onAnnounce: (record) => {
      throw new Overtaken(record);
    },
    memory: [
      { kind: 'property', name: 'HAM', hash: hashOf(newProperty('HAM').body) },
      { kind: 'property', name: 'KIE', hash: 'another' },
    ],
    listed: ['HAM', 'KIE'].map((code) => ({ id: `id-of-${code}`, code })),
  });

  const { results } = await run(['HAM', 'KIE', 'LEI'].map(newProperty));

  expect(events).toEqual(['GET properties']);
  expect(resultLines(results)).toEqual([
    'done HAM id-of-HAM',
    'failed KIE id-of-KIE (overtaken)',
    'unknown LEI (outcome_unknown)',
  ]);
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

  expect(resultLines(results)).toEqual([
    'failed HAM (conflict)',
    'not_attempted ana@example.com (not_attempted)',
    'not_attempted ben@example.com u-1 (not_attempted)',
    'done eva@example.com',
  ]);
  expect(events).not.toContain('sent invitation ana@example.com');
});

test.each([
  [
    'a deletion whose record is gone counts as deleted',
    settled('property', 'OLD', 'delete', 'OLD'),
    'done OLD OLD',
  ],
  ['a change whose record is gone has failed', changedProperty('BER'), 'failed BER BER (not_found)'],
])('%s', async (_, item, line) => {
  const gone = new CliError('not_found', 'Nothing was found there.', { exitCode: ExitCode.notFound });
  const { run } = stage({ on: failing(gone, 'DELETE', 'PATCH') });

  const { results } = await run([item]);

  expect(resultLines(results)).toEqual([line]);
});

const found = ['done HAM p-7', ['property HAM p-7']] as const;
const unsettled = ['unknown HAM (outcome_unknown)', []] as const;

test.each([
  ['the code in the list', [{ id: 'p-7', code: 'ham' }], {}, found],
  ['a listed code without an id', [{ code: 'HAM' }], {}, unsettled],
  [
    'a duplicate code',
    [
      { id: 'a', code: 'HAM' },
      { id: 'b', code: 'HAM' },
    ],
    {},
    ['failed HAM a (twins)', ['property HAM a']],
  ],
  ['nothing', [], {}, unsettled],
] as const)('a creation without a response is looked up once: %s', async (_, listed, read, [line, shown]) => {
  const { run, events, seen } = stage({ on: failing(noAnswer, 'POST'), listed, read });

  const { results } = await run([newProperty('HAM')]);

  const requested = events.filter((event) => event === 'POST property HAM' || event === 'GET properties');
  expect({ lines: resultLines(results), requested, seen }).toEqual({
    lines: [line],
    requested: ['POST property HAM', 'GET properties'],
    seen: shown,
  });
});

test('a person can get a property whose creation was confirmed by a lookup', async () => {
  const { run, bodies } = stage({
    on: failing(noAnswer, 'POST property'),
    listed: [{ id: 'p-7', code: 'HAM' }],
  });

  await run([newInvitation('ana@example.com', 'HAM'), newProperty('HAM')]);

  expect(bodies.at(-1)).toEqual({ email: 'ana@example.com', properties: ['p-7'] });
});

test('an unexpected error leaves the outcome unknown, stops the run and is rethrown', async () => {
  const fault = new TypeError('undefined is not a function');
  const { run } = stage({ on: failing(fault, 'POST property HAM') });

  const { results, stoppedBy } = await run([newProperty('HAM'), newProperty('KIE')]);

  expect(resultLines(results)).toEqual([
    'unknown HAM (outcome_unknown)',
    'not_attempted KIE (not_attempted)',
  ]);
  expect(stoppedBy).toBe(fault);
});

describe('a run past its deadline', () => {
  const late = (...codes: readonly string[]) => {
    let now = 0;
    const { run } = stage({
      on: () => {
        now = 1_000;
      },
    });
    const clock = { ...still, monotonic: () => now };
    return run(codes.map(newProperty), { deadline: 1_000, clock });
  };

  test('starts no further row', async () => {
    const { results, stoppedBy } = await late('HAM', 'KIE');

    expect(resultLines(results)).toEqual(['done HAM id-of-HAM', 'not_attempted KIE (not_attempted)']);
    expect(stoppedBy).toMatchObject({ code: 'timeout', exitCode: ExitCode.unavailable });
  });

  test('is complete if it has no further row', async () => {
    const { results, stoppedBy } = await late('HAM');

    expect({ lines: resultLines(results), stoppedBy }).toEqual({
      lines: ['done HAM id-of-HAM'],
      stoppedBy: undefined,
    });
  });
});
