import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shells } from '../../src/reference/values.ts';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { stubs } from '../helpers/stubs.ts';

test.each(shells)(
  '%s: stdout is the script that completions/ is generated from, and stderr explains the installation',
  async (shell) => {
    const { exitCode, stdout, stderr } = await cli(`completion ${shell}`);

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: stubs[shell] });
    expect(stderr).toContain(`innctl completion ${shell} `);
    expect(stderr.split('\n').filter((line) => line.length > 90)).toEqual([]);
  },
);

test('JSON output has the shell and the script', async () => {
  const { exitCode, stdout } = await cli('completion fish --json');

  expect({ exitCode, document: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    document: { shell: 'fish', script: stubs.fish },
  });
});

test.each(['fihs', '__proto__', '', '$(touch x)\n'])(
  'the unsupported shell %j exits with 2',
  async (word) => {
    expect(await cli(['completion', '--', word])).toEqual(
      ended(
        2,
        [
          `error: There are no completions for ${JSON.stringify(word)}, only for bash, zsh, fish, powershell.`,
          'hint: innctl completion bash',
          '',
        ].join('\n'),
      ),
    );
  },
);

test('it works with an invalid settings file', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'config.json'), '{ broken');

  const { exitCode, stdout } = await cli('completion bash', { folder });

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: stubs.bash });
});

test('it ignores the output format of a profile, but not of INNCTL_OUTPUT', async () => {
  const folder = await temporaryFolder();
  const profile = { defaults: { output: 'json' } };
  const config = { version: 1, active_profile: 'chain', profiles: { chain: profile } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));

  const byProfile = await cli('completion bash', { folder });
  const byVariable = await cli('completion bash', { folder, env: { INNCTL_OUTPUT: 'json' } });

  expect(byProfile).toMatchObject({ exitCode: 0, stdout: stubs.bash });
  expect(JSON.parse(byVariable.stdout)).toEqual({ shell: 'bash', script: stubs.bash });
});

test('a closed stdout ends it without an error', async () => {
  expect(await cli('completion zsh', { closesAfter: 0 })).toMatchObject({ stdout: '', stderr: '' });
});
