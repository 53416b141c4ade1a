import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const OWN = 'by-profile/_environment/roles';

const pathOf = (folder: string, name: string) => join(folder, 'state', 'completion', name);
const cached = (folder: string, name = OWN) => readFileSync(pathOf(folder, name), 'utf8');

const WARNING = 'warning: --param kind is not a known parameter here; the service may ignore it.\n';

/** Lists roles and expects unchanged output, whether or not the completion cache can be written. */
async function list(folder: string, flags = '', roles = ['Auditor', 'Front Desk']): Promise<void> {
  nock('https://identity.example.com').get('/api/v1/roles').query(true).reply(200, { roles });

  expect(await cli(`roles list ${flags}`, { folder, env: hotels })).toEqual({
    exitCode: 0,
    stdout: `${roles.join('\n')}\n`,
    stderr: flags === '' ? '' : WARNING,
  });
}

/** Creates the parent folder of a completion cache file. */
const createParent = (folder: string, name: string) =>
  mkdirSync(dirname(pathOf(folder, name)), { recursive: true });

onlyIntercepted();

describe('a failed write of the completion cache does not affect the command', () => {
  test.for<[string, string]>([
    ['the state folder', '..'],
    ['the completion folder', '.'],
    ['the folder of one profile', 'by-profile/_environment'],
  ])('a file in the place of %s', async ([, name], { folder }) => {
    createParent(folder, name);
    writeFileSync(pathOf(folder, name), 'mine');

    await list(folder);

    expect(readFileSync(pathOf(folder, name), 'utf8')).toBe('mine');
  });

  test('a non-empty folder in the place of the cache file', async ({ folder }) => {
    createParent(folder, `${OWN}/mine`);
    writeFileSync(pathOf(folder, `${OWN}/mine`), 'mine');

    await list(folder);

    expect(readdirSync(pathOf(folder, 'by-profile/_environment'))).toEqual(['roles']);
    expect(cached(folder, `${OWN}/mine`)).toBe('mine');
  });

  test('a named pipe in the place of the cache file does not block', async ({ folder }) => {
    createParent(folder, OWN);
    execFileSync('mkfifo', [pathOf(folder, OWN)]);

    await list(folder, '--param kind=house');

    expect(cached(folder)).toBe('Auditor\t\nFront Desk\t\n');
  });

  test('lines of a cache file that are not valid entries are dropped', async ({ folder }) => {
    createParent(folder, OWN);
    const noise = Buffer.from([0, 255, 254, 10, 66, 27, 9, 9, 10, 13, 10, 9, 120, 10]);
    writeFileSync(
      pathOf(folder, OWN),
      Buffer.concat([noise, Buffer.from('no tab\n\tno value\nOwner\tall\n')]),
    );

    await list(folder, '--param kind=house');

    expect(cached(folder)).toBe('Auditor\t\nFront Desk\t\nOwner\tall\n');
  });
});

describe('symbolic links are not followed', () => {
  test.for(['completion', 'completion/by-profile', 'completion/by-profile/_environment'])(
    'the folder %s is a symbolic link',
    async (name, { folder }) => {
      const elsewhere = join(folder, 'elsewhere');
      mkdirSync(elsewhere);
      mkdirSync(dirname(join(folder, 'state', name)), { recursive: true });
      symlinkSync(elsewhere, join(folder, 'state', name));

      await list(folder);

      expect(readdirSync(elsewhere)).toEqual([]);
    },
  );

  test('a cache file that is a symbolic link is replaced, and its target is unchanged', async ({
    folder,
  }) => {
    createParent(folder, OWN);
    writeFileSync(join(folder, 'elsewhere'), 'Owner\tmine\n');
    symlinkSync(join(folder, 'elsewhere'), pathOf(folder, OWN));

    await list(folder, '--param kind=house');

    expect(lstatSync(pathOf(folder, OWN)).isFile()).toBe(true);
    expect(cached(folder)).toBe('Auditor\t\nFront Desk\t\n');
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('Owner\tmine\n');
  });

  test.for(['profiles remove chain', 'sandbox reset'])(
    '"%s" removes nothing in the target of a symbolic link',
    async (line, { folder }) => {
      const elsewhere = join(folder, 'elsewhere');
      for (const name of ['chain', 'sandbox']) mkdirSync(join(elsewhere, name), { recursive: true });
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles: { chain: {} } }));
      createParent(folder, 'by-profile');
      symlinkSync(elsewhere, pathOf(folder, 'by-profile'));

      const { exitCode } = await cli(line, { folder });

      expect([exitCode, readdirSync(elsewhere)]).toEqual([0, ['chain', 'sandbox']]);
    },
  );
});

describe('existing cache files', () => {
  test('a recent temporary file of another process is kept, and a stale one is removed', async ({
    folder,
  }) => {
    const [young, old] = ['1', '2'].map((each) => `roles.${each.repeat(8)}-2222-4333-8444-555555555555.tmp`);
    createParent(folder, OWN);
    for (const name of [young, old]) writeFileSync(pathOf(folder, `${OWN}/../${name}`), 'half a li');
    utimesSync(pathOf(folder, `${OWN}/../${old}`), new Date(0), new Date(0));

    await list(folder);

    expect(readdirSync(pathOf(folder, 'by-profile/_environment'))).toEqual(['roles', young]);
  });

  test('an unchanged cache file is not rewritten', async ({ folder }) => {
    await list(folder);
    const before = lstatSync(pathOf(folder, OWN)).ino;

    await list(folder);

    expect(lstatSync(pathOf(folder, OWN)).ino).toBe(before);
  });
});
