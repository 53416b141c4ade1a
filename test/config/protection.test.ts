import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished } from 'vitest';
import { readConfig, updateConfig, withProfile } from '../../src/config/file.ts';
import { prepareFolder } from '../../src/config/stored-file.ts';
import { cli } from '../helpers/cli.ts';
import { test } from './with-folder.ts';

const UUID = '11111111-2222-4333-8444-555555555555';

const addInn = (folder: string, signal: AbortSignal) =>
  updateConfig(folder, (document) => withProfile(document, 'inn', {}), signal);
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

/** Creates a profile with its credential in a file. @returns the path of the credentials. */
function withToken(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const origin = 'https://api.example.com';
  const profile = { identity_url: origin, base_url: origin, auth: 'token' };
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ profiles: { chain: profile }, active_profile: 'chain' }),
  );
  const path = join(folder, 'credentials.json');
  const credential = { origins: [origin], token: 'token-of-ana-1234567890' };
  writeFileSync(path, JSON.stringify({ profiles: { chain: credential } }), { mode: 0o600 });
  return path;
}

describe('file modes are for the owner only', () => {
  const before = process.umask();
  afterEach(() => {
    process.umask(before);
  });

  test.for([0o000, 0o077, 0o777])('under umask %o', async (umask, { folder, signal }) => {
    const own = join(folder, 'innctl');
    process.umask(umask);

    await addInn(own, signal);

    expect({ folder: modeOf(own), file: modeOf(join(own, 'config.json')) }).toEqual({
      folder: '700',
      file: '600',
    });
  });

  test('too open modes are repaired', async ({ folder, signal }) => {
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

  test('also inside a snap, where conf does not replace the file', async ({ folder, signal }) => {
    await addInn(folder, signal);
    chmodSync(join(folder, 'config.json'), 0o644);
    process.env['SNAP'] = '/snap/innctl/1';
    onTestFinished(() => {
      delete process.env['SNAP'];
    });

    await updateConfig(folder, (document) => withProfile(document, 'chain', {}), signal);

    expect(modeOf(join(folder, 'config.json'))).toBe('600');
    expect(readConfig(folder).profiles).toEqual({ inn: {}, chain: {} });
  });

  test.for([0o644, 0o640])(
    'credentials of mode %o are set to mode 600 with a warning',
    async (mode, { folder }) => {
      const path = withToken(folder);

      for (const line of ['profiles show chain', 'profiles use chain', 'auth token']) {
        chmodSync(path, mode);
        const { stderr } = await cli(line, { folder });

        expect({ line, stderr, mode: modeOf(path) }).toEqual({
          line,
          stderr: expect.stringContaining(
            `warning: ${path} was open to others (mode ${mode.toString(8).padStart(4, '0')}), and is closed to them now.`,
          ),
          mode: '600',
        });
      }
      expect((await cli('profiles show chain', { folder })).stderr).toBe('');
    },
  );

  test('the target of a symbolic link keeps its mode, with a warning', async ({ folder }) => {
    const real = withToken(join(folder, 'elsewhere'));
    chmodSync(real, 0o640);
    symlinkSync(real, join(folder, 'credentials.json'));

    const { stderr } = await cli('profiles list', { folder });

    expect([modeOf(real), stderr]).toEqual(['640', expect.stringContaining('is a symbolic link')]);
  });

  test.for(['profiles show chain', 'roles list', 'login --with-token --insecure-storage'])(
    'credentials with a second hard link are neither read nor written: %s',
    async (line, { folder }) => {
      const path = withToken(folder);
      mkdirSync(join(folder, 'other'));
      linkSync(path, join(folder, 'other/credentials.json'));
      const before = readFileSync(path, 'utf8');

      const { exitCode, stdout, stderr } = await cli(line, { folder, stdin: 'token-of-ana-tomorrow' });

      expect(exitCode).toBe(2);
      expect(stdout + stderr).toContain(`${path} has another name as well (a hard link), and is not used.`);
      expect([lstatSync(path).nlink, readFileSync(path, 'utf8')]).toEqual([2, before]);
    },
  );
});

describe('symbolic links are not written through', () => {
  test('not when the file is one', async ({ folder, signal }) => {
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

  test('not when the config folder is one', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'innctl'));

    await expect(addInn(join(folder, 'innctl'), signal)).rejects.toThrow(
      expect.objectContaining({ code: 'symlink' }),
    );
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  test('not when the lock is one', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json.lock'));

    await expect(addInn(folder, signal)).rejects.toThrow(expect.objectContaining({ code: 'symlink' }));
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  test('except for links above the config folder', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'dotfiles'));
    symlinkSync(join(folder, 'dotfiles'), join(folder, '.config'));

    await addInn(join(folder, '.config', 'innctl'), signal);

    expect(readConfig(join(folder, 'dotfiles', 'innctl'))).toEqual({ version: 1, profiles: { inn: {} } });
  });

  test('a broken link is an error and not an empty file: its target may contain guards', ({ folder }) => {
    symlinkSync(join(folder, 'unmounted'), join(folder, 'config.json'));

    expect(() => readConfig(folder)).toThrow(
      expect.objectContaining({
        message: `${join(folder, 'config.json')} cannot be used: it is a broken symbolic link.`,
        exitCode: 2,
      }),
    );
  });

  test('a file that is a link is read', ({ folder }) => {
    writeFileSync(join(folder, 'elsewhere'), '{"active_profile": "inn"}');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json'));

    expect(readConfig(folder)).toEqual({ version: 1, active_profile: 'inn', profiles: {} });
  });
});

describe('temporary files of killed processes', () => {
  test('are removed with the next write of the same file; other files stay', async ({ folder, signal }) => {
    const others = [
      'config.json.broken',
      'config.json.tmp',
      `credentials.json.${UUID}.tmp`,
      `guests.${UUID}.tmp`,
    ];
    for (const name of [`config.json.${UUID}.tmp`, 'config.json.tmp-12345678900a1b2c', ...others])
      writeFileSync(join(folder, name), '{');

    await addInn(folder, signal);

    expect(readdirSync(folder).sort()).toEqual(['config.json', ...others]);
  });
});

test('a failed write reports path and reason', async ({ folder, signal }) => {
  writeFileSync(join(folder, 'file'), '');

  await expect(addInn(join(folder, 'file', 'innctl'), signal)).rejects.toThrow(
    expect.objectContaining({
      code: 'config_not_written',
      message: `Could not write ${join(folder, 'file', 'innctl', 'config.json')}: a part of its path is not a folder (ENOTDIR).`,
      exitCode: 1,
    }),
  );
});

test.for<[string, readonly string[], string]>([
  ['innctl', ['guests.csv'], '700'],
  ['hotels', [], '700'],
  ['hotels', ['config.json', 'credentials.json', 'state'], '700'],
  ['hotels', ['config.json.11111111-2222-4333-8444-555555555555.tmp', 'credentials.json.lock'], '700'],
  ['hotels', ['config.json', 'guests.csv'], '755'],
  ['hotels', ['config-json'], '755'],
  ['hotels', ['statement'], '755'],
  ['my-innctl', ['guests.csv'], '755'],
])('the mode of a folder %s that contains %j becomes %s', ([name, files, mode], { folder }) => {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, 0o755);
  for (const file of files) writeFileSync(join(path, file), '');

  prepareFolder(path);

  expect(modeOf(path)).toBe(mode);
});
