import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foldersOf } from '../../src/config/file.ts';
import { parsePath } from '../../src/config/settings.ts';

const before = process.cwd();

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-gone-'));
  process.chdir(folder);
  rmdirSync(folder);
});

afterEach(() => process.chdir(before));

test('after the current folder is deleted, a relative path is rejected, and an absolute one is accepted', () => {
  expect([parsePath('roots.pem'), parsePath('/etc/roots.pem')]).toEqual([
    { reason: '"roots.pem" is relative to the current folder, which does not exist any more' },
    { value: '/etc/roots.pem' },
  ]);
});

test('after the current folder is deleted, a relative INNCTL_CONFIG_DIR is rejected', () => {
  const situation = { env: { INNCTL_CONFIG_DIR: 'here' }, platform: 'linux', home: '/home/ana' } as const;

  expect(() => foldersOf(situation)).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: 'INNCTL_CONFIG_DIR: "here" is relative to the current folder, which does not exist any more',
    }),
  );
});
