import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { checkTrust } from '../../src/config/stored-file.ts';
import { test } from '../config/with-folder.ts';
import { cli, type Situation } from '../helpers/cli.ts';

const token = 'token-of-ana-1234567890';
const origin = 'https://api.example.com';
const profile = { identity_url: origin, base_url: origin, auth: 'token', credential_command: 'vault' };

/** A profile with a credential command, in a file that only its owner may write. */
function settled(folder: string): string {
  const path = join(folder, 'config.json');
  chmodSync(folder, 0o700);
  writeFileSync(path, JSON.stringify({ profiles: { chain: profile }, active_profile: 'chain' }), {
    mode: 0o600,
  });
  return path;
}

async function running(line: string, situation: Situation) {
  const run: string[] = [];
  const helper: Situation['helper'] = async (command) => {
    run.push(command);
    return { exitCode: 0, stdout: Buffer.from(token) };
  };
  return { ...(await cli(line, { ...situation, helper })), run };
}

describe('a credential_command that others could have written is not run', () => {
  test.for([
    [0o620, 'config.json'],
    [0o602, 'config.json'],
    [0o666, 'config.json'],
    [0o770, ''],
    [0o707, ''],
    [0o1777, ''],
  ] as const)('mode %o of %j', async ([mode, name], { folder }) => {
    settled(folder);
    const place = join(folder, name);
    chmodSync(place, mode);

    const ended = await running('auth token', { folder });

    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    expect(ended).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        `error: ${place} can be changed by other users (mode ${octal}); its credential_command was not run.`,
        `hint: Look at the command (innctl config explain credential_command), then: chmod go-w ${place}`,
        '',
      ].join('\n'),
      run: [],
    });
  });

  test.for([
    [0o666, 'config.json'],
    [0o777, ''],
  ] as const)(
    'nor is it trusted after a write, which would remove mode %o of %j',
    async ([mode, name], { folder }) => {
      settled(folder);
      const place = join(folder, name);
      chmodSync(place, mode);

      const { exitCode, stderr } = await cli('config set timeout 30', { folder });

      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: expect.stringContaining('config.json has a credential_command, and was not rewritten.'),
      });
      expect(lstatSync(place).mode & 0o777).toBe(mode);
    },
  );

  test('nor by auth status, whoami or doctor', async ({ folder }) => {
    const path = settled(folder);
    chmodSync(path, 0o666);

    for (const line of ['auth status', 'whoami', 'roles list', 'doctor --json'])
      expect(await running(line, { folder }), line).toMatchObject({ exitCode: 2, run: [] });
  });

  test('nor through a symlink to a folder that others may write', async ({ folder }) => {
    const path = settled(folder);
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    renameSync(path, join(shared, 'config.json'));
    symlinkSync(join(shared, 'config.json'), path);

    expect(await running('auth token', { folder })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`error: ${shared} can be changed by other users (mode 0777)`),
      run: [],
    });
  });

  test('a file that others may only read is trusted', async ({ folder }) => {
    chmodSync(settled(folder), 0o644);
    chmodSync(folder, 0o755);

    expect(await running('auth token', { folder })).toMatchObject({ exitCode: 0, run: ['vault'] });
  });

  test('a credential command of the environment is run, whatever the mode of the file', async ({
    folder,
  }) => {
    chmodSync(settled(folder), 0o666);
    const env = { INNCTL_CREDENTIAL_COMMAND: 'pass', INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin };

    expect(await running('auth token', { folder, env })).toMatchObject({ exitCode: 0, run: ['pass'] });
  });
});

describe('the owner of the file', () => {
  test('a file of another user is rejected, a file of root is not', ({ folder }) => {
    const path = settled(folder);
    const { uid } = lstatSync(path);
    const other = uid + 1;

    expect(checkTrust(path, uid)).toBe(undefined);
    const check = () => checkTrust(path, other);
    if (uid === 0) expect(check()).toBe(undefined);
    else
      expect(check).toThrow(`${path} belongs to another user (${uid}); its credential_command was not run.`);
  });

  test('modes and owners are ignored on Windows', ({ folder }) => {
    const path = settled(folder);
    chmodSync(path, 0o666);

    expect(checkTrust(path, undefined)).toBe(undefined);
  });

  // Changing the owner of a file requires root, and builds run as root.
  describe.runIf(process.geteuid?.() === 0)('a changed owner, as root', () => {
    test.for(['config.json', ''])('%j of a third user is rejected', async (name, { folder }) => {
      settled(folder);
      chownSync(join(folder, name), 4_712, 0);

      expect(await running('auth token', { folder, uid: 4_711 })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(
          `${join(folder, name)} belongs to another user (4712); its credential_command was not run.`,
        ),
        run: [],
      });
    });

    test('root gets a warning, and its command is run, as with the home of another user in a container', async ({
      folder,
    }) => {
      chownSync(settled(folder), 4_712, 0);

      expect(await running('auth token', { folder, uid: 0 })).toMatchObject({
        exitCode: 0,
        stderr: `warning: ${join(folder, 'config.json')} belongs to another user (4712), and its credential_command runs as root.\n`,
        run: ['vault'],
      });
    });
  });
});
