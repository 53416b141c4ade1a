import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { canonical, canonicalOf, hashOf } from '../../src/model/canonical.ts';
import {
  type Journal,
  type JournalOptions,
  type NewRow,
  openJournal,
  readMemory,
} from '../../src/seed/journal.ts';
import { deriveKey } from '../../src/seed/keys.ts';
import { contextAt, hotels, rowOf } from './run.ts';
import { test } from './with-path.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2025-03-01T12:00:00Z');
const body = { code: 'BER', tax_id: 'DE1' };
const allDone = { done: 1, failed: 0, unknown: 0, not_attempted: 0 };

const open = (path: string, more: Partial<JournalOptions> = {}) =>
  openJournal({ path, run: hotels, context: contextAt(Date.now), ...more });

/** Writes these rows as a run that is then killed. */
async function leave(
  path: string,
  names: readonly string[],
  more: Partial<JournalOptions> = {},
): Promise<string> {
  const journal = await open(path, more);
  await journal.writeAll(names.map((name) => rowOf(name)));
  await journal.close();
  return journal.runId;
}

/** Writes a creation of BER as a run that is then killed, and what became of it. */
async function leaveSent(path: string, more: Partial<JournalOptions> = {}, outcome?: Partial<NewRow>) {
  const journal = await open(path, more);
  const key = keyIn(journal);
  const sent = { hash: hashOf(body), key };
  await journal.write(rowOf('BER', sent));
  if (outcome !== undefined) await journal.write(rowOf('BER', { ...sent, ...outcome }));
  await journal.close();
  return { key, runId: journal.runId };
}

const keyIn = ({ keyFor }: Pick<Journal, 'keyFor'>, sent: object = body, name = 'BER') =>
  keyFor({ kind: 'property', name }, canonicalOf(sent)).key;

const linesIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('the run is written with its first row, with mode 0600', async ({ path }) => {
  const now = Date.parse('2025-03-01T10:00:00Z');
  const journal = await open(path, { context: contextAt(() => now), runId: 'build-7' });
  expect(readFileSync(path, 'utf8')).toBe('');

  await journal.write(rowOf('BER'));

  expect(linesIn(path)).toEqual([
    {
      run: {
        version: 1,
        id: 'build-7',
        at: '2025-03-01T10:00:00.000Z',
        command: 'apply',
        files: ['/home/ana/hotels.yaml'],
        identity_url: 'https://identity.example.com',
        base_url: 'https://api.example.com',
        account: 'account AURORA',
      },
      sum: expect.stringMatching(/^[0-9a-f]{8}$/),
    },
    { row: expect.objectContaining({ name: 'BER' }), sum: expect.any(String) },
  ]);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  await journal.close();
});

test('a row is on disk when its promise resolves', async ({ path }) => {
  const journal = await open(path);

  await journal.write(rowOf('BER', { key: 'k', id: 'P1', error: 'no answer' }));

  expect(linesIn(path).at(-1)).toEqual({
    row: { ...rowOf('BER', { key: 'k', id: 'P1', error: 'no answer' }), at: expect.any(String) },
    sum: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
  await journal.close();
});

test('the journal has no secrets, and no fields but those of a row', async ({ path }) => {
  const journal = await open(path, { context: contextAt(Date.now, ['token-of-ana-123']) });
  const row = { ...rowOf('BER', { error: 'refused: Bearer token-of-ana-123' }), fields: { tax_id: 'DE1' } };

  await journal.write(row);
  await journal.close();

  const text = readFileSync(path, 'utf8');
  expect([
    text.includes('token-of-ana-123'),
    text.includes('DE1'),
    text.includes('Bearer [redacted]'),
  ]).toEqual([false, false, true]);
});

test('the same command resumes the run that was killed', async ({ path }) => {
  const runId = await leave(path, ['BER', 'MUC']);

  const journal = await open(path);

  expect(journal.runId).toBe(runId);
  expect(journal.recall('property', 'ber')).toMatchObject({ state: 'sent', runId });
  await journal.close();
});

test('the same command starts a new run after a complete one', async ({ path }) => {
  const first = await open(path);
  await first.write(rowOf('BER', { state: 'done', id: 'P1' }));
  await first.finish(allDone);
  await first.close();

  const second = await open(path);

  expect(second.runId).not.toBe(first.runId);
  expect(second.created().map(({ id, runId }) => [id, runId])).toEqual([['P1', first.runId]]);
  await second.close();
});

test.for(['failed', 'unknown', 'not_attempted'] as const)(
  'a run that ended with rows that are %s is resumed',
  async (outcome, { path }) => {
    const first = await open(path);
    await first.write(rowOf('BER'));
    await first.finish({ ...allDone, [outcome]: 1 });
    await first.close();

    const second = await open(path);

    expect(second.runId).toBe(first.runId);
    await second.close();
  },
);

test('other files with the same journal start another run', async ({ path }) => {
  const runId = await leave(path, ['BER']);
  const other = await open(path, { run: { ...hotels, files: ['/home/ana/people.csv'] } });
  await other.write(rowOf('MUC'));
  await other.close();

  const again = await open(path);

  expect(other.runId).not.toBe(runId);
  expect(again.runId).toBe(runId);
  await again.close();
});

test('a run that wrote nothing leaves no files', async ({ path }) => {
  const journal = await open(path);
  await journal.finish({ ...allDone, done: 0 });

  await journal.close();

  expect(readdirSync(dirname(path))).toEqual([]);
});

test('a run that wrote nothing leaves an older journal unchanged', async ({ path }) => {
  const first = await open(path);
  await first.write(rowOf('BER', { state: 'done' }));
  await first.finish(allDone);
  await first.close();
  const before = readFileSync(path, 'utf8');

  const second = await open(path);
  await second.finish(allDone);
  await second.close();

  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a resumed run that finds all rows done is complete', async ({ path }) => {
  const runId = await leave(path, ['BER']);
  const second = await open(path);
  await second.finish(allDone);
  await second.close();

  const third = await open(path);

  expect([second.runId, third.runId === runId]).toEqual([runId, false]);
  await third.close();
});

test('a torn last line is truncated, and later lines are readable', async ({ path }) => {
  await leave(path, ['BER', 'MUC']);
  truncateSync(path, statSync(path).size - 20);

  const journal = await open(path);
  await journal.write(rowOf('VIE'));
  await journal.close();

  const names = linesIn(path).flatMap(({ row }) => row?.name ?? []);
  expect(names).toEqual(['BER', 'VIE']);
});

test('a resumed run repeats its key, and a changed row gets a new one', async ({ path }) => {
  const { key } = await leaveSent(path);

  const second = await open(path);

  expect(keyIn(second, { tax_id: 'DE1', code: 'BER' })).toBe(key);
  expect(keyIn(second, body, 'ber')).toBe(key);
  expect(keyIn(second, { ...body, tax_id: 'DE2' })).not.toBe(key);
  await second.close();
});

test('a resumed run repeats a key that the journal did not record', async ({ path }) => {
  const first = await open(path);
  await first.write(rowOf('BER', { state: 'planned', hash: hashOf(body) }));
  const key = keyIn(first);
  await first.close();

  const second = await open(path);

  expect(keyIn(second)).toBe(key);
  await second.close();
});

test('the same run id on another machine yields the same keys', async ({ path, folder }) => {
  const here = await open(path, { runId: 'build-7' });
  const there = await open(`${folder}/elsewhere/journal.ndjson`, { runId: 'build-7' });

  const key = deriveKey('build-7', 'BER', canonical(body), 0);
  expect([keyIn(here), keyIn(there)]).toEqual([key, key]);
  await here.close();
  await there.close();
});

test('another run takes over the key of a creation whose outcome is unknown', async ({ path }) => {
  const { key } = await leaveSent(path, { runId: 'build-7' }, { state: 'unknown' });

  const second = await open(path, { runId: 'build-8' });

  expect(keyIn(second)).toBe(key);
  await second.close();
});

test('a key that is older than 23 hours is replaced, by the same new key each time', async ({ path }) => {
  const clock = { now: NOON };
  const context = contextAt(() => clock.now);
  const { runId } = await leaveSent(path, { context });
  clock.now += 23 * HOUR;

  const second = await open(path, { context });

  const fresh = keyIn(second);
  expect(fresh).toBe(deriveKey(runId, 'BER', canonical(body), 1));
  await second.write(rowOf('BER', { hash: hashOf(body), key: fresh }));
  expect(keyIn(second)).toBe(fresh);
  await second.close();
});

test.for([
  ['was young enough when the journal was opened, however late it is sent', 22, 2],
  ['is from a clock that was ahead', -2, 0],
] as const)('a key is repeated that %s', async ([, hours, more], { path }) => {
  const clock = { now: NOON };
  const context = contextAt(() => clock.now);
  const { key } = await leaveSent(path, { context });
  clock.now += hours * HOUR;

  const second = await open(path, { context });
  clock.now += more * HOUR;

  expect(keyIn(second)).toBe(key);
  await second.close();
});

test('a creation that was done gets a new key when it is repeated', async ({ path }) => {
  const { key, runId } = await leaveSent(path, {}, { state: 'done', id: 'P1' });

  const second = await open(path, { runId });

  expect(keyIn(second)).not.toBe(key);
  await second.close();
});

test('a journal belongs to one service', async ({ path }) => {
  await leave(path, ['BER']);
  const target = {
    identity_url: 'https://identity.test.example.com',
    base_url: 'https://api.test.example.com',
    account: 'account AURORA',
  };
  const refusal = {
    code: 'other_target',
    exitCode: 2,
    message: `The journal ${path} is of runs against identity.example.com, api.example.com (account AURORA), and this one goes to identity.test.example.com, api.test.example.com (account AURORA).`,
  };

  await expect(open(path, { run: { ...hotels, target } })).rejects.toMatchObject(refusal);
  await expect(readMemory(path, { ...hotels, target })).rejects.toMatchObject(refusal);
  expect(linesIn(path)).toHaveLength(2);
});

test('a plan shows the run that the same command would resume', async ({ path }) => {
  const runId = await leave(path, ['BER']);
  const others = { ...hotels, files: ['/home/ana/people.csv'] };

  const resumable = await readMemory(path, hotels);
  const beginning = await readMemory(path, others);
  const second = await open(path);
  await second.finish(allDone);
  await second.close();
  const complete = await readMemory(path, hotels);

  expect([resumable.runId, beginning.runId, complete.runId]).toEqual([runId, undefined, undefined]);
  expect(complete.recall('property', 'BER')?.runId).toBe(runId);
});

test('without a journal nothing is remembered', async ({ path }) => {
  const memory = await readMemory(path, hotels);

  expect([memory.recall('property', 'BER'), memory.created(), memory.runId]).toEqual([
    undefined,
    [],
    undefined,
  ]);
  expect(existsSync(path)).toBe(false);
});

test('a corrupt journal is not overwritten, and its lock is released', async ({ path }) => {
  await leave(path, ['BER']);
  const text = `${readFileSync(path, 'utf8')}my notes\n`;
  writeFileSync(path, text);

  await expect(open(path)).rejects.toMatchObject({ code: 'corrupt_journal', exitCode: 2 });
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(readdirSync(dirname(path))).toEqual(['journal.ndjson']);
});

test('the path of a journal must be a regular file', async ({ path, folder }) => {
  mkdirSync(path, { recursive: true });
  symlinkSync('/dev/null', `${folder}/link`);

  await expect(open(path)).rejects.toMatchObject({ code: 'no_journal', exitCode: 2 });
  await expect(open(`${folder}/link`)).rejects.toMatchObject({
    code: 'no_journal',
    exitCode: 2,
    message: `${folder}/link cannot be a journal: it is a symbolic link.`,
    hint: 'Name the file itself, or another one, with --journal.',
  });
  await expect(readMemory('/dev/zero', hotels)).rejects.toMatchObject({ code: 'no_journal', exitCode: 2 });
});

test('a folder that cannot be created is reported', async ({ folder }) => {
  writeFileSync(`${folder}/file`, '');

  await expect(open(`${folder}/file/journal.ndjson`)).rejects.toMatchObject({
    code: 'journal_failed',
    exitCode: 1,
    message: expect.stringContaining(`Could not write the journal ${folder}/file/journal.ndjson: `),
  });
});

test('a lock that can no longer be read or removed does not fail a completed run', async ({ path }) => {
  const journal = await open(path);
  await journal.writeAll([rowOf('BER')]);
  rmSync(`${path}.lock`, { recursive: true });
  writeFileSync(`${path}.lock`, '');

  expect(await journal.close()).toBeUndefined();
  expect(linesIn(path)).toHaveLength(2);
});
