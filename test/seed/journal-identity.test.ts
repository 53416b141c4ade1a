import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type JournalOptions, openJournal, readMemory } from '../../src/seed/journal.ts';
import { absoluteFiles, journalPath, stdinFolder } from '../../src/seed/journal-read.ts';
import { contextAt, hotels, rowOf } from './run.ts';
import { test } from './with-path.ts';

const open = (path: string, more: Partial<JournalOptions> = {}) =>
  openJournal({ path, run: hotels, context: contextAt(Date.now), ...more });

test('a journal belongs to one account, even where all accounts have the same URLs', async ({ path }) => {
  const inAccount = (account: string) => ({ ...hotels, target: { ...hotels.target, account } });
  const first = await open(path, { run: inAccount('account AURORA') });
  await first.write(rowOf('BER'));
  await first.close();

  await expect(open(path, { run: inAccount('account BOREAL') })).rejects.toMatchObject({
    code: 'other_target',
    message: `The journal ${path} is of runs against identity.example.com, api.example.com (account AURORA), and this one goes to identity.example.com, api.example.com (account BOREAL).`,
  });
  expect(journalPath('state', inAccount('account AURORA'))).not.toBe(
    journalPath('state', inAccount('account BOREAL')),
  );
});

test('a journal of an unknown account is rejected, with the commands to type', async ({ path }) => {
  const runOf = (account: string) => ({ ...hotels, target: { ...hotels.target, account } });
  const first = await open(path, {
    runId: 'build-7',
    run: runOf('unknown account of credential 0123456789abcdef'),
  });
  await first.write(rowOf('BER'));
  await first.close();

  for (const now of ['account AURORA', 'user ana-7', 'unknown account of credential fedcba9876543210']) {
    const refusal = {
      code: 'other_target',
      exitCode: 2,
      message: expect.stringContaining('it cannot be determined whether that is the same account'),
      hint: `Look at what it did (innctl runs show build-7 --journal ${path}), and start without it: mv ${path} ${path}.old`,
    };
    await expect(readMemory(path, runOf(now))).rejects.toMatchObject(refusal);
    await expect(open(path, { run: runOf(now) })).rejects.toMatchObject(refusal);
  }
});

test('created records are recalled only by runs of the same command and files', async ({ path }) => {
  const done = rowOf('BER', { state: 'done', id: 'P1' });
  const others = [
    { ...hotels, command: 'people onboard' },
    { ...hotels, files: ['/home/ana/people.csv'] },
  ] as const;
  const first = await open(path, { runId: 'build-7' });
  await first.write(done);
  await first.close();
  // Several runs of a pipeline may share its run id.
  const second = await open(path, { runId: 'build-7', run: others[1] });
  await second.write(rowOf('MUC', { state: 'done', id: 'P2' }));
  await second.close();

  const third = await open(path, { runId: 'build-7', run: others[1] });

  const created = await Promise.all(
    [hotels, ...others].map(async (run) => (await readMemory(path, run)).created().map(({ name }) => name)),
  );

  expect(created).toEqual([['BER'], [], ['MUC']]);
  expect(third.created().map(({ name }) => name)).toEqual(['MUC']);
  await third.close();
});

test('a record found by a lookup is recalled with the time that the run records', async ({ path }) => {
  const announced = Date.parse('2025-03-01T10:00:00Z');
  const journal = await open(path, { context: contextAt(() => announced + 5 * 3_600_000) });
  await journal.writeAll([rowOf('BER', { state: 'done', id: 'P1', at: announced }), rowOf('MUC')]);
  await journal.close();

  const next = await open(path);

  expect(next.created()).toMatchObject([{ name: 'BER', at: announced }]);
  expect(next.recall('property', 'MUC')?.at).toBe(announced + 5 * 3_600_000);
  await next.close();
});

test('a created record is recalled with the time at which its key was first sent', async ({ path }) => {
  const since = Date.parse('2025-03-01T10:00:00Z');
  const later = since + 5 * 3_600_000;
  const killed = await open(path, { context: contextAt(() => since) });
  await killed.write(rowOf('BER', { key: 'k' }));
  await killed.close();
  const resumed = await open(path, { context: contextAt(() => later) });
  await resumed.write(rowOf('BER', { key: 'k' }));
  await resumed.write(rowOf('BER', { state: 'done', id: 'P1' }));
  await resumed.close();

  const next = await open(path, { context: contextAt(() => later) });

  expect(next.created()).toMatchObject([{ name: 'BER', at: later, keyAge: { since } }]);
  await next.close();
});

test('a file has the same identity through every symlink', async ({ folder }) => {
  mkdirSync(join(folder, 'real'));
  writeFileSync(join(folder, 'real', 'hotels.yaml'), '');
  symlinkSync(join(folder, 'real'), join(folder, 'linked'));
  symlinkSync(join(folder, 'real', 'hotels.yaml'), join(folder, 'mine.yaml'));
  const real = realpathSync(join(folder, 'real', 'hotels.yaml'));

  expect(
    absoluteFiles(['real/hotels.yaml', 'linked/hotels.yaml', 'mine.yaml'].map((file) => join(folder, file))),
  ).toEqual([real, real, real]);
  expect(absoluteFiles([join(folder, 'none.yaml')])).toEqual([join(folder, 'none.yaml')]);
});

test('the identity of a run from stdin is its working directory', () => {
  const here = realpathSync('.');
  const pathIn = (folder: string) => journalPath('state', { ...hotels, files: [`-${folder}`] });

  expect(absoluteFiles(['-', 'hotels.yaml'])).toEqual([`-${here}`, join(here, 'hotels.yaml')]);
  expect(pathIn('/work')).not.toBe(pathIn('/home/ana'));
  expect(['-/work', '-', '/work/hotels.yaml', 'a-b'].map(stdinFolder)).toEqual([
    '/work',
    '',
    undefined,
    undefined,
  ]);
});
