import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { createHistory } from '../../src/seed/history.ts';
import { type JournalLine, lineText, type RowLine } from '../../src/seed/journal-line.ts';
import { readHistory } from '../../src/seed/journal-read.ts';
import { test } from './with-path.ts';

const at = '2025-03-01T10:00:00.000Z';
const header = (id: string): JournalLine => ({
  run: {
    version: 1,
    id,
    at,
    command: 'apply',
    files: ['/home/ana/hotels.yaml'],
    identity_url: 'https://identity.example.com',
    base_url: 'https://api.example.com',
    account: '',
  },
});
const row = (name: string, state: RowLine['state'], more: Partial<RowLine> = {}): JournalLine => ({
  row: { kind: 'property', name, action: 'create', state, hash: 'h', at, ...more },
});
const end: JournalLine = { end: { at, done: 1, failed: 0, unknown: 1, not_attempted: 0 } };

const lines = [
  header('run-1'),
  row('BER', 'planned'),
  row('MÜC', 'planned'),
  row('BER', 'sent', { key: 'k1' }),
  row('BER', 'done', { id: 'P1' }),
  row('MÜC', 'sent', { key: 'k2' }),
  row('MÜC', 'unknown', { error: 'Keine Antwort “…”' }),
  end,
  header('run-2'),
  row('BER', 'planned', { action: 'delete', id: 'P1' }),
  row('BER', 'done', { action: 'delete' }),
];

const historyOf = (taken: readonly JournalLine[]) => {
  const history = createHistory();
  for (const line of taken) expect(history.take(line)).toBeUndefined();
  return history;
};
const stateOf = (history: ReturnType<typeof createHistory>) => ({
  runs: history.runs(),
  created: history.created(),
  recalled: ['ber', 'müc'].map((name) => history.recall('property', name)),
});

test('a journal truncated anywhere is read up to its last whole line', async ({ path }) => {
  const bytes = Buffer.from(lines.map(lineText).join(''));
  const expected = lines.map((_, count) => stateOf(historyOf(lines.slice(0, count))));
  await mkdir(dirname(path), { recursive: true });

  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length);
    writeFileSync(path, cut);
    const history = await readHistory(path);
    expect(history && stateOf(history)).toEqual(expected[cut.toString().split('\n').length - 1]);
  }
});

test('trailing zeros of a power failure are ignored', async ({ path }) => {
  await mkdir(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.concat([Buffer.from(lines.map(lineText).join('')), Buffer.alloc(5_000)]));

  expect(stateOf((await readHistory(path)) ?? createHistory())).toEqual(stateOf(historyOf(lines)));
});

test.for([
  ['text', 'my notes\n', 'line 13: it is not JSON'],
  ['text without a line break', 'my notes', 'line 13: it is not a line of a journal'],
  ['other JSON', '{"kind":"property"}\n', 'line 13: it is not a line of a journal'],
  ['a list', '[]\n', 'line 13: it is not a line of a journal'],
  ['null', 'null\n', 'line 13: it is not a line of a journal'],
  ['an empty line', '\n', 'line 13: it is not JSON'],
  ['a row of an unknown kind', `${lineText(row('X', 'sent')).replace('property', 'planet')}`, 'line 13'],
  [
    'a row with an impossible timestamp',
    lineText(row('X', 'sent', { at: '2025-03-01T10:00:00+01' })),
    'line 13: it is not a line of a journal',
  ],
  ['two objects on one line', '{"end":{},"row":{}}\n', 'line 13'],
  ['a changed name', lineText(row('X', 'sent')).replace('"X"', '"Y"'), 'line 13: its checksum is wrong'],
  [
    'a line without its checksum',
    '{"end":{"at":"2025-03-01T10:00:00.000Z","done":1,"failed":0,"unknown":0,"not_attempted":0}}\n',
    'line 13: it is not a line of a journal',
  ],
  [
    'a last line whose end was changed',
    `${lineText(row('X', 'sent')).trimEnd()}\v`,
    'line 13: it is not a line of a journal',
  ],
  ['a torn line joined with a whole one', `{"row":{"kind":"pro${lineText(row('X', 'sent'))}`, 'line 13'],
  ['invalid UTF-8', Buffer.from([0xff, 0x0a]), 'line 13: it is not UTF-8 text'],
  ['an endless line', Buffer.alloc(3_000_000, 'x'), 'line 13: it is not a line of a journal'],
] as const)(
  'a journal with %s is rejected with the line number, and left unchanged',
  async ([, wrong, reason], { folder }) => {
    const path = `${folder}/journal.ndjson`;
    const bytes = Buffer.concat([Buffer.from([...lines, end].map(lineText).join('')), Buffer.from(wrong)]);
    writeFileSync(path, bytes);

    await expect(readHistory(path)).rejects.toMatchObject({
      code: 'corrupt_journal',
      exitCode: 2,
      message: expect.stringContaining(`The journal ${path} cannot be used: ${reason}`),
      hint: `If it is no longer needed, move it away: mv ${path} ${path}.old`,
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  },
);

test('a file that begins with other content is not a journal', async ({ folder }) => {
  const path = `${folder}/hotels.csv`;
  writeFileSync(path, 'code,name.en\nBER,Grand Hotel\n');

  await expect(readHistory(path)).rejects.toMatchObject({ code: 'corrupt_journal', exitCode: 2 });
});

test('a journal that does not begin with a run is rejected', async ({ folder }) => {
  const path = `${folder}/journal.ndjson`;
  writeFileSync(path, lineText(row('BER', 'done')));

  await expect(readHistory(path)).rejects.toMatchObject({
    message: `The journal ${path} cannot be used: line 1: no run was started before it.`,
  });
});

test('a journal of a newer innctl is rejected', async ({ folder }) => {
  const path = `${folder}/journal.ndjson`;
  writeFileSync(path, '{"run":{"version":2,"id":"x","zones":[]}}\n');

  await expect(readHistory(path)).rejects.toMatchObject({ code: 'newer_journal', exitCode: 2 });
});

test('a row that may have been sent keeps that state when planned again', () => {
  const history = historyOf([
    header('run-1'),
    row('BER', 'sent', { key: 'k' }),
    header('run-2'),
    row('BER', 'planned'),
  ]);

  expect(history.recall('property', 'BER')).toMatchObject({ state: 'sent', key: 'k', runId: 'run-1' });
});

test('a key is as old as its first use, however often it was sent', () => {
  const later = '2025-03-02T08:00:00.000Z';
  const history = historyOf([
    header('run-1'),
    row('BER', 'sent', { key: 'k' }),
    row('BER', 'sent', { key: 'k', at: later }),
    row('BER', 'unknown', { at: later }),
  ]);

  expect(history.recall('property', 'BER')).toMatchObject({
    key: 'k',
    keyAge: { since: Date.parse(at), isSpent: false },
    at: Date.parse(later),
  });
});

test('the id of a created record is kept when a later change fails', () => {
  const history = historyOf([
    header('run-1'),
    row('BER', 'done', { id: 'P1' }),
    row('BER', 'failed', { action: 'change', error: 'refused' }),
  ]);

  expect(history.recall('property', 'ber')).toMatchObject({ state: 'failed', action: 'change', id: 'P1' });
  expect(history.created().map(({ name, id }) => [name, id])).toEqual([['BER', 'P1']]);
});

test('a deleted record is forgotten', () => {
  const history = historyOf(lines);

  expect([history.recall('property', 'BER'), history.created()]).toEqual([undefined, []]);
});

test('names of Object properties are ordinary row names', () => {
  const history = historyOf([
    header('__proto__'),
    row('__proto__', 'done', { id: 'P1' }),
    row('constructor', 'sent'),
  ]);

  expect(history.created().map(({ name }) => name)).toEqual(['__proto__']);
  expect(history.recall('property', 'constructor')?.state).toBe('sent');
  expect(history.recall('property', 'toString')).toBeUndefined();
});

test('a journal keeps the end and the rows of each run, and the last state of each name', async ({
  path,
}) => {
  await mkdir(dirname(path), { recursive: true });
  writeFileSync(path, lines.map(lineText).join(''));

  const history = await readHistory(path);

  expect({
    ids: history?.runs().map(({ header: { id }, end: ended }) => [id, ended?.unknown]),
    rows: history?.runs().map(({ rows }) => rows.size),
    recalled: history?.recall('property', 'müc')?.state,
  }).toEqual({
    ids: [
      ['run-1', 1],
      ['run-2', undefined],
    ],
    rows: [2, 1],
    recalled: 'unknown',
  });
});
