import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { openJournal } from '../../src/seed/journal.ts';
import { contextAt, hotels, rowOf } from './run.ts';
import { test } from './with-path.ts';

const open = (path: string) => openJournal({ path, run: hotels, context: contextAt(Date.now) });

test('a journal that another process changed is written to no more, and keeps all foreign bytes', async ({
  path,
}) => {
  const journal = await open(path);
  await journal.write(rowOf('BER'));
  const before = readFileSync(path, 'utf8');
  appendFileSync(path, '{"row"');

  await expect(journal.write(rowOf('MUC'))).rejects.toMatchObject({
    code: 'journal_failed',
    message: `Could not write the journal ${path}: another program wrote to it.`,
  });
  await journal.close();
  expect(readFileSync(path, 'utf8')).toBe(`${before}{"row"`);
});

test('a run that wrote nothing keeps what another process wrote', async ({ path }) => {
  const journal = await open(path);
  appendFileSync(path, '{"row"');

  await journal.close();

  expect(readFileSync(path, 'utf8')).toBe('{"row"');
});

test('a run that wrote nothing removes no file that replaced its journal', async ({ path }) => {
  const journal = await open(path);
  rmSync(path);
  writeFileSync(path, 'of somebody else');

  await journal.close();
  expect(readFileSync(path, 'utf8')).toBe('of somebody else');
});

test.for([
  ['removed', (path: string) => rmSync(path)],
  ['moved away', (path: string) => renameSync(path, `${path}.old`)],
  [
    'replaced',
    (path: string) => {
      copyFileSync(path, `${path}.new`);
      renameSync(`${path}.new`, path);
    },
  ],
] as const)('the next row detects a journal that was %s', async ([, disturb], { path }) => {
  const journal = await open(path);
  await journal.write(rowOf('BER'));
  disturb(path);

  await expect(journal.write(rowOf('MUC'))).rejects.toMatchObject({
    code: 'journal_failed',
    message: `Could not write the journal ${path}: it was removed or replaced.`,
  });
  await journal.close();
});
