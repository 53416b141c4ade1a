import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { withProfile } from '../../src/config/document.ts';
import { readConfig, updateConfig } from '../../src/config/file.ts';
import { test } from './with-folder.ts';

const addInn = (folder: string, signal: AbortSignal) =>
  updateConfig(folder, (document) => withProfile(document, 'inn', {}), signal);
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

describe('only the owner may look', () => {
  const before = process.umask();
  afterEach(() => {
    process.umask(before);
  });

  test.for([0o000, 0o022, 0o077, 0o277])('under umask %o', async (umask, { folder, signal }) => {
    const own = join(folder, 'innctl');
    process.umask(umask);

    await addInn(own, signal);

    expect({ folder: modeOf(own), file: modeOf(join(own, 'config.json')) }).toEqual({
      folder: '700',
      file: '600',
    });
  });

  test('modes that are too open are repaired', async ({ folder, signal }) => {
    const own = join(folder, 'innctl');
    await addInn(own, signal);
    chmodSync(own, 0o755);
    chmodSync(join(own, 'config.json'), 0o644);

    await updateConfig(own, (document) => withProfile(document, 'chain', {}), signal);

    expect({ folder: modeOf(own), file: modeOf(join(own, 'config.json')) }).toEqual({
      folder: '700',
      file: '600',
    });
  });

  test('a folder that was there and holds other things keeps its mode', async ({ folder, signal }) => {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'guests.csv'), 'Ana\n');

    await addInn(folder, signal);

    expect({ folder: modeOf(folder), file: modeOf(join(folder, 'config.json')) }).toEqual({
      folder: '755',
      file: '600',
    });
  });
});

describe('symbolic links are not written through', () => {
  test('not where the file is one', async ({ folder, signal }) => {
    writeFileSync(join(folder, 'elsewhere'), '{}');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json'));

    await expect(addInn(folder, signal)).rejects.toThrow(
      expect.objectContaining({
        code: 'symlink',
        message: expect.stringContaining(join(folder, 'config.json')),
      }),
    );
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('{}');
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'elsewhere']);
  });

  test('not where our own folder is one', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'innctl'));

    await expect(addInn(join(folder, 'innctl'), signal)).rejects.toThrow(
      expect.objectContaining({ code: 'symlink' }),
    );
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  test('not where the lock is one', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json.lock'));

    await expect(addInn(folder, signal)).rejects.toThrow(expect.objectContaining({ code: 'symlink' }));
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  test('but a link above our own folder is how people arrange their homes', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'dotfiles'));
    symlinkSync(join(folder, 'dotfiles'), join(folder, '.config'));

    await addInn(join(folder, '.config', 'innctl'), signal);

    expect(readConfig(join(folder, 'dotfiles', 'innctl'))).toEqual({ version: 1, profiles: { inn: {} } });
  });

  test('and a file that is a link is read', ({ folder }) => {
    writeFileSync(join(folder, 'elsewhere'), '{"active_profile": "inn"}');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json'));

    expect(readConfig(folder)).toEqual({ version: 1, active_profile: 'inn', profiles: {} });
  });
});

describe('what killed processes left behind', () => {
  const old = new Date(Date.now() - 120_000);

  test('old leftovers of ours go, young ones and those of others stay', async ({ folder, signal }) => {
    const files = [
      'config.json.tmp-1234567890abcdef',
      'credentials.json.tmp-1234567890abcdef',
      'guests.json.tmp-1234567890abcdef',
      'config.json.broken',
    ];
    for (const name of files) {
      writeFileSync(join(folder, name), '{');
      utimesSync(join(folder, name), old, old);
    }
    mkdirSync(join(folder, 'config.json.lock.12-34'));
    utimesSync(join(folder, 'config.json.lock.12-34'), old, old);
    writeFileSync(join(folder, 'config.json.tmp-0987654321fedcba'), '{');
    writeFileSync(join(folder, 'config.json.trial'), '{');

    await addInn(folder, signal);

    expect(readdirSync(folder).sort()).toEqual([
      'config.json',
      'config.json.broken',
      'config.json.tmp-0987654321fedcba',
      'guests.json.tmp-1234567890abcdef',
    ]);
  });

  test('the lock of a dead process is taken', async ({ folder, signal }) => {
    const lock = join(folder, 'config.json.lock');
    mkdirSync(lock);
    utimesSync(lock, old, old);

    await addInn(folder, signal);

    expect(existsSync(lock)).toBe(false);
    expect(readConfig(folder).profiles).toEqual({ inn: {} });
  });
});

test('waiting for a lock ends when the run is interrupted', async ({ folder }) => {
  const controller = new AbortController();
  mkdirSync(join(folder, 'config.json.lock'));

  const waiting = addInn(folder, controller.signal);
  controller.abort(new Error('interrupted'));

  await expect(waiting).rejects.toThrow('interrupted');
  expect(existsSync(join(folder, 'config.json'))).toBe(false);
});

test('a place that cannot be written is named with the reason', async ({ folder, signal }) => {
  writeFileSync(join(folder, 'file'), '');

  await expect(addInn(join(folder, 'file', 'innctl'), signal)).rejects.toThrow(
    expect.objectContaining({
      code: 'config_not_written',
      message: `Could not write ${join(folder, 'file', 'innctl', 'config.json')}: a part of its path is not a folder (ENOTDIR).`,
      exitCode: 1,
    }),
  );
});
