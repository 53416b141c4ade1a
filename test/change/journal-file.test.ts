import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createJournalFile } from '../../src/journal/file.ts';
import { journalPath } from '../../src/journal/journal.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { hotelsYaml, seeding } from '../helpers/seeding.ts';
import { announceIn, aurora, contextAt, hotels, journalIn } from './run.ts';

/** A folder with the journal of a run that created BER. */
async function journalled() {
  const state = await temporaryFolder();
  const path = journalPath(state, aurora);
  const journal = journalIn(state);
  journal.begin(hotels, await journal.read(), 'run-1');
  const answered = await announceIn(journal, 'BER');
  answered({ id: 'P-1' });
  await journal.settled();
  return { state, path, journal, text: readFileSync(path, 'utf8') };
}

/** The properties that a new command finds to be created. */
async function createdIn(state: string) {
  return (await journalIn(state).read()).created().map(({ name, id }) => `${name} ${id}`);
}

test('a request is on the disk before it is sent, for its owner alone, and without secrets', async () => {
  const state = await temporaryFolder();
  const journal = journalIn(state, contextAt(Date.now, ['hunter2hunter2']));

  const answered = await announceIn(journal, 'BER hunter2hunter2');

  const path = journalPath(state, aurora);
  const sent = readFileSync(path, 'utf8');
  expect(sent.split('\n').map((line) => line.slice(0, 14))).toEqual(['{"is":"start",', '{"is":"send","', '']);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  answered({ error: new Error('hunter2hunter2 is wrong') });
  await journal.settled();
  expect(readFileSync(path, 'utf8')).toMatch(/"is":"answer".*"outcome":"unknown"/);
  expect(readFileSync(path, 'utf8')).not.toContain('hunter2hunter2');
});

test('two commands that append by turns lose nothing, and each reads what the other wrote', async () => {
  const { state, journal } = await journalled();
  const other = journalIn(state);
  await other.read();

  for (let turn = 0; turn < 20; turn += 1) {
    const [one, two] = await Promise.all([announceIn(journal, `A${turn}`), announceIn(other, `B${turn}`)]);
    one({ id: `a${turn}` });
    two({ id: `b${turn}` });
  }
  await Promise.all([journal.settled(), other.settled()]);

  const all = Array.from({ length: 20 }, (_, turn) => [`A${turn} a${turn}`, `B${turn} b${turn}`]).flat();
  for (const each of [journal, other])
    expect(new Set((await each.read()).created().map(({ name, id }) => `${name} ${id}`))).toEqual(
      new Set(['BER P-1', ...all]),
    );
});

test('appends that wait share one, and what they ask for is decided under its lock', async () => {
  const { path, text } = await journalled();
  const file = createJournalFile(path);
  const known: number[] = [];

  const [start = ''] = text.split('\n');
  const appends = Array.from({ length: 50 }, () =>
    file.append((history) => {
      known.push(history.lines());
      return `${start}\n`;
    }),
  );
  await Promise.all(appends);

  expect(new Set(known)).toEqual(new Set([3]));
  expect((await file.read()).lines()).toBe(53);
});

test('a line that may not be written yet is asked for again at the next append', async () => {
  const { path, text } = await journalled();
  const file = createJournalFile(path);
  const [start = ''] = text.split('\n');

  const late = file.append((history) => (history.lines() < 4 ? undefined : `${start}\n`));
  await file.settled();
  expect((await file.read()).lines()).toBe(3);
  await file.append(() => `${start}\n`);
  await file.settled();
  await late;

  expect((await file.read()).lines()).toBe(5);
});

describe('a torn last line', () => {
  test.each([
    ['in the middle', '{"is":"send","at":"2026-04-21'],
    ['in its first word', '{"i'],
    ['of zeros', '\0\0\0\0'],
    ['inside a character', Buffer.from('{"is":"send","run":"\u00e9').subarray(0, -1)],
  ])('%s is left out, and the next line takes its place', async (_, torn) => {
    const { state, path, text } = await journalled();
    appendFileSync(path, torn);

    expect(await createdIn(state)).toEqual(['BER P-1']);
    const journal = journalIn(state);
    (await announceIn(journal, 'MUC'))({ id: 'P-2' });
    await journal.settled();

    expect(readFileSync(path, 'utf8').startsWith(`${text}{"is":"start"`)).toBe(true);
    expect(await createdIn(state)).toEqual(['BER P-1', 'MUC P-2']);
  });
});

describe('a journal that cannot be used', () => {
  const newer = '{"is":"start","version":3}\n';

  test.each<[string, (text: string) => string | Buffer, string, RegExp]>([
    [
      'is not JSON',
      (text) => text.replace('{"is":"send"', 'x'),
      'corrupt_journal',
      /: line 2: it is not JSON\.$/,
    ],
    [
      'was changed',
      (text) => text.replace('"BER"', '"HAM"'),
      'corrupt_journal',
      /: line 2: its checksum is wrong/,
    ],
    [
      'lacks a line',
      (text) => text.slice(text.indexOf('\n') + 1),
      'corrupt_journal',
      /: line 1: no run was started/,
    ],
    [
      'ends in another line',
      (text) => `${text}[1`,
      'corrupt_journal',
      /: line 4: it is not a line of a journal/,
    ],
    [
      'is not text',
      (text) => Buffer.from(`${text}\u00ff\n`, 'latin1'),
      'corrupt_journal',
      /: line 4: .* UTF-8/,
    ],
    ['is of a newer version', (text) => text + newer, 'newer_journal', /a newer innctl \(version 3/],
  ])('because it %s ends the command with exit 2, and is not changed', async (_, spoil, code, message) => {
    const { state, path, text } = await journalled();
    const spoilt = Buffer.from(spoil(text));
    writeFileSync(path, spoilt);
    const refused = { code, message: expect.stringMatching(message), exitCode: 2 };

    await expect(journalIn(state).read()).rejects.toMatchObject(refused);
    await expect(announceIn(journalIn(state), 'MUC')).rejects.toMatchObject(refused);

    expect(readFileSync(path)).toEqual(spoilt);
  });

  test.each<[string, (path: string) => void]>([
    ['a symbolic link', (path) => symlinkSync(`${path}.old`, path)],
    ['not a regular file', (path) => mkdirSync(path)],
    ['not a regular file', (path) => void execFileSync('mkfifo', [path])],
  ])('because it is %s ends the command with exit 2 (case %#)', async (what, make) => {
    const { state, path } = await journalled();
    renameSync(path, `${path}.old`);
    make(path);
    const refused = {
      code: 'no_journal',
      message: `${path} cannot be a journal: it is ${what}.`,
      exitCode: 2,
    };

    await expect(journalIn(state).read()).rejects.toMatchObject(refused);
    await expect(announceIn(journalIn(state), 'MUC')).rejects.toMatchObject(refused);
  });
});

describe('a journal that cannot be written', () => {
  test.each([
    'apply FILE --yes',
    'properties delete BER --confirm BER',
    'api DELETE /inventory/v1/properties/BER --confirm BER',
  ])('sends nothing and names the variable that moves it: %s', async (line) => {
    const service = await seeding();
    const file = await service.file('seed.yaml', hotelsYaml('HAM'));
    mkdirSync(join(service.folder, 'config', 'state'), { recursive: true });
    writeFileSync(join(service.folder, 'config', 'state', 'journal'), 'in the way');

    const { exitCode, stderr } = await service.innctl(line.replace('FILE', file));

    expect({ exitCode, writes: service.writes }).toEqual({ exitCode: 1, writes: [] });
    expect(stderr).toMatch(/Could not (read|write) the journal /);
    expect(stderr).toContain('INNCTL_CONFIG_DIR moves its folder.');
  });

  test('because it is replaced in the middle of an append fails, now and later', async () => {
    const { path, text } = await journalled();
    const file = createJournalFile(path);
    const [start = ''] = text.split('\n');
    const append = () =>
      file.append(() => {
        rmSync(path);
        return `${start}\n`;
      });

    const failed = { code: 'journal_failed', exitCode: 1, message: expect.stringContaining(path) };
    await expect(append()).rejects.toMatchObject(failed);
    await expect(append()).rejects.toMatchObject(failed);
  });
});

test('a journal that was removed between two requests begins anew, and stays whole', async () => {
  const { state, path, journal } = await journalled();
  rmSync(path);

  const answered = await announceIn(journal, 'MUC');
  answered({ id: 'P-2' });
  await journal.settled();

  expect(await createdIn(state)).toEqual(['MUC P-2']);
});

test('a journal that was removed while a request was under way still takes later requests', async () => {
  const { state, path, journal } = await journalled();
  const answered = await announceIn(journal, 'MUC');
  rmSync(path);

  answered({ id: 'P-2' });
  (await announceIn(journal, 'VIE'))({ id: 'P-3' });
  await journal.settled();

  expect(await createdIn(state)).toEqual(['VIE P-3']);
});

test('old lines are swept, but for creations that were not deleted, and with each request its answer', async () => {
  const state = await temporaryFolder();
  let now = Date.UTC(2025, 0, 1);
  const journal = journalIn(
    state,
    contextAt(() => now),
  );
  for (const name of ['BER', 'MUC']) (await announceIn(journal, name))({ id: name });
  (await announceIn(journal, 'MUC', { action: 'delete' }))({});
  const changed = await announceIn(journal, 'VIE', { action: 'change' });
  await journal.settled();
  now += 1_000;
  changed({});
  await journal.close();

  now += 400 * 86_400_000 - 500;
  const later = journalIn(
    state,
    contextAt(() => now),
  );
  await later.read();
  await later.close();

  const history = await createJournalFile(journalPath(state, aurora), true).read();
  expect(history.runs().flatMap(({ sent }) => sent.map(({ does }) => does))).toEqual(['create BER']);
  expect(await createdIn(state)).toEqual(['BER BER']);
});
