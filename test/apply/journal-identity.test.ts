import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type JournalOptions, openJournal, readMemory } from '../../src/apply/journal.ts';
import { absoluteFiles, journalPath } from '../../src/apply/journal-path.ts';
import { contextAt, hotels, rowOf } from './run.ts';
import { test } from './with-path.ts';

const open = (path: string, more: Partial<JournalOptions> = {}) =>
  openJournal({ path, run: hotels, context: contextAt(Date.now), ...more });

test('a journal is of one account, even where all accounts have the same URLs', async ({ path }) => {
  const inAccount = (account: string) => ({ ...hotels, target: { ...hotels.target, account } });
  const first = await open(path, { run: inAccount('profile chain') });
  await first.write(rowOf('BER'));
  await first.close();

  await expect(open(path, { run: inAccount('profile hotel') })).rejects.toMatchObject({
    code: 'other_target',
    message: `The journal ${path} is of runs against identity.example.com, api.example.com (profile chain), and this one goes to identity.example.com, api.example.com (profile hotel).`,
  });
  expect(journalPath('state', inAccount('profile chain'))).not.toBe(
    journalPath('state', inAccount('profile hotel')),
  );
});

test('what was created is recalled by runs of the same command and files alone', async ({ path }) => {
  const done = rowOf('BER', { state: 'done', id: 'P1' });
  const others = [
    { ...hotels, command: 'properties import' },
    { ...hotels, files: ['/home/ana/people.csv'] },
  ] as const;
  const first = await open(path, { runId: 'build-7' });
  await first.write(done);
  await first.close();
  // A pipeline may give its number to several runs.
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

test('what is seen to be created is recalled with the time that the run tells', async ({ path }) => {
  const announced = Date.parse('2025-03-01T10:00:00Z');
  const journal = await open(path, { context: contextAt(() => announced + 5 * 3_600_000) });
  await journal.writeAll([rowOf('BER', { state: 'done', id: 'P1', at: announced }), rowOf('MUC')]);
  await journal.close();

  const next = await open(path);

  expect(next.created()).toMatchObject([{ name: 'BER', at: announced }]);
  expect(next.recall('property', 'MUC')?.at).toBe(announced + 5 * 3_600_000);
  await next.close();
});

test('what was created is recalled with the time at which its key was first sent', async ({ path }) => {
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

test('a file is the same by whichever link it was reached', async ({ folder }) => {
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
