import { chmod, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import * as modules from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from './home.ts';

const list = ['--sandbox', 'properties', 'list'];

/** Node keeps compiled code from 22.8 on. */
const keepsCode = 'enableCompileCache' in modules;

async function entriesOf(folder: string): Promise<number> {
  return (await readdir(folder).catch(() => [])).length;
}

test('compiled code is kept in a folder that only the user may read', async () => {
  await using home = await openHome();
  const folder = join(home.folder, '.cache/innctl/code');

  const first = await home.innctl(list);
  const second = await home.innctl(list);

  const found = await lstat(folder).catch(() => undefined);
  expect(second).toEqual(first);
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect({ mode: found && found.mode & 0o777, entries: await entriesOf(folder) }).toEqual(
    keepsCode ? { mode: 0o700, entries: 1 } : { mode: undefined, entries: 0 },
  );
});

test.each([
  {
    where: 'a folder to which others may write',
    prepare: async (folder: string) => {
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o777);
    },
  },
  {
    where: 'a folder in one to which others may write',
    prepare: async (folder: string) => {
      await mkdir(folder, { recursive: true });
      await chmod(join(folder, '..'), 0o770);
    },
  },
  {
    where: 'a symbolic link',
    prepare: async (folder: string, elsewhere: string) => {
      await mkdir(join(folder, '..'), { recursive: true });
      await symlink(elsewhere, folder);
    },
  },
  {
    where: 'a shared folder',
    prepare: async (folder: string) => {
      await mkdir(join(folder, '../..'), { recursive: true });
      await chmod(join(folder, '../..'), 0o1777);
    },
  },
  {
    where: 'a file',
    prepare: async (folder: string) => {
      await mkdir(join(folder, '..'), { recursive: true });
      await writeFile(folder, '');
    },
  },
])('no code is kept in $where, and the run is the same', async ({ prepare }) => {
  await using home = await openHome();
  const folder = join(home.folder, 'caches/innctl/code');
  const elsewhere = join(home.folder, 'elsewhere');
  await mkdir(elsewhere);
  await prepare(folder, elsewhere);

  const ended = await home.innctl(list, { XDG_CACHE_HOME: join(home.folder, 'caches') });

  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect([await entriesOf(folder), await entriesOf(elsewhere)]).toEqual([0, 0]);
});

test('a relative INNCTL_CONFIG_DIR is rejected, and no folder is made', async () => {
  await using home = await openHome();

  const { exitCode } = await home.innctl(list, { INNCTL_CONFIG_DIR: 'relative' });

  expect(exitCode).toBe(2);
  expect(await lstat(join(home.folder, 'relative')).catch(() => undefined)).toBeUndefined();
});
