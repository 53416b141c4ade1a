import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binary, openHome, root } from './home.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the built program', () => {
  test('--version prints the version of the package', async () => {
    await using home = await openHome();

    expect(await home.innctl(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = await home.innctl(['-V'], { INNCTL_OUTPUT: 'json' });
    expect(JSON.parse(stdout)).toEqual({ version });
  });

  test.each([
    { line: '--help', shows: 'Usage: innctl ' },
    { line: '-h', shows: 'Usage: innctl ' },
    { line: '', shows: 'Usage: innctl ' },
    { line: 'invite', shows: 'Usage: innctl invitations' },
    { line: 'properties create --help', shows: 'Usage: innctl properties create' },
    { line: 'help exit-codes', shows: '130' },
  ])('"$line" prints help on stdout and exits with 0', async ({ line, shows }) => {
    await using home = await openHome();

    const { exitCode, stdout, stderr } = await home.innctl(line.split(' ').filter(Boolean));

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(shows);
  });

  test.each([
    [
      'an id',
      `--sandbox properties delete "$(printf 'a\\377b')" --confirm "$(printf 'a\\376b')"`,
      'argument 4',
    ],
    ['a lone surrogate', `--sandbox properties get "$(printf 'a\\355\\240\\200b')"`, 'argument 4'],
    ['the value of a flag', `--sandbox invite create a@example.com --role "$(printf '\\300')"`, '--role'],
  ])(
    'bytes that are not UTF-8 are rejected, because decoding would change them: %s',
    async (_, line, field) => {
      await using home = await openHome();

      const ended = await home.run(['sh', '-c', `exec "$@" ${line}`, 'sh', process.execPath, binary]);

      expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr).toMatch(new RegExp(`^(error:| ) *${field}: `, 'm'));
      expect(ended.stderr).toContain('has bytes that are not UTF-8');
    },
  );
});
