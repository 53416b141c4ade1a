import { lstatSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { reasonOf } from '../../src/fs/read.ts';
import { replaceFile, sweepDrafts } from '../../src/fs/replace.ts';
import { codeOf } from '../../src/model/errors.ts';
import { test } from './with-folder.ts';

const draft = (name: string, digit: string) => `${name}.${digit.repeat(8)}-2222-4333-8444-555555555555.tmp`;

describe('replacing a file', () => {
  test.for([true, false])('writes the whole text with mode 600 (lasting: %j)', (lasting, { folder }) => {
    const path = join(folder, 'config.json');
    writeFileSync(path, 'of Ana', { mode: 0o666 });

    replaceFile(path, 'of Ben', { lasting });

    expect(readFileSync(path, 'utf8')).toBe('of Ben');
    expect((lstatSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  test('leaves no temporary file after a failure', ({ folder }) => {
    const path = join(folder, 'config.json');
    mkdirSync(join(path, 'of Ana'), { recursive: true });

    expect(() => replaceFile(path, 'of Ben', { lasting: true })).toThrow('EISDIR');
    expect(readdirSync(folder, { recursive: true })).toEqual(['config.json', 'config.json/of Ana']);
  });
});

describe('sweeping temporary files of killed writers', () => {
  test('removes old files and files with a future time, and keeps all others', ({ folder }) => {
    const [past, young, future] = ['1', '2', '3'].map((digit) => draft('config.json', digit));
    const others = [
      draft('credentials.json', '1'),
      draft('my.config.json', '1'),
      'config.json.tmp',
      'config.json',
    ];
    for (const name of [past, young, future, ...others]) writeFileSync(join(folder, name ?? ''), '');
    utimesSync(join(folder, past ?? ''), new Date(0), new Date(0));
    utimesSync(join(folder, future ?? ''), new Date('2100-01-01'), new Date('2100-01-01'));

    sweepDrafts(join(folder, 'config.json'), 60_000);

    expect(readdirSync(folder).sort()).toEqual([young, ...others].sort());
  });

  test('removes recent files with a minimum age of 0', ({ folder }) => {
    writeFileSync(join(folder, draft('config.json', '1')), '');

    sweepDrafts(join(folder, 'config.json'), 0);

    expect(readdirSync(folder)).toEqual([]);
  });
});

test('a system error without a name in Node gets its errno name', () => {
  const full = Object.assign(new Error('Unknown system error -122: ...'), {
    code: 'Unknown system error -122',
    errno: -122,
  });

  expect([codeOf(full), reasonOf(full)]).toEqual(['EDQUOT', 'the quota is used up (EDQUOT)']);
});
