import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { freshFolder, sandbox } from './harness.ts';

const aborted = AbortSignal.abort();

test('sandbox path prints the folder, which need not exist', async () => {
  const folder = await freshFolder();
  const path = join(folder, 'state', 'sandbox');

  expect(await cli('sandbox path', { folder })).toEqual(printed(`${path}\n`));
  expect(JSON.parse((await cli('sandbox path --json', { folder })).stdout)).toEqual({ path });
});

describe('sandbox reset', () => {
  test('starts over from a seed without a prompt', async () => {
    const folder = await freshFolder();

    expect(await cli('sandbox reset --seed chain', { folder })).toEqual(
      ended(0, 'The sandbox is reset (sample data: chain).\n'),
    );
    expect(JSON.parse((await cli('sandbox reset --json', { folder })).stdout)).toEqual({
      seed: 'small',
      reset: true,
    });
    const { call } = await sandbox({ folder: join(folder, 'state', 'sandbox') });
    expect((await call('GET', '/inventory/v1/properties/$count')).body).toBe(3);
  });

  test('deletes the journals of runs on the sandbox, so that the same runs can start over', async () => {
    const folder = await freshFolder();
    const line = ['--sandbox', 'apply', '-', '--yes'];
    const input = {
      folder,
      connect: connectUndici,
      stdin: 'email: mia@example.com\nrole: Housekeeping\nproperties: [BER]\n',
    };
    await cli(line, input);
    await cli('sandbox reset', { folder });

    const { exitCode, stdout } = await cli(line, input);

    expect({ exitCode, action: stdout.split('\t').slice(0, 2) }).toEqual({
      exitCode: 0,
      action: ['done', 'create'],
    });
    expect(JSON.parse((await cli('runs list --json', { folder })).stdout).count).toBe(1);
  });
});

describe('sandbox serve', () => {
  test('prints its addresses', async () => {
    const { exitCode, stdout, stderr } = await cli('sandbox serve', { signal: aborted });

    expect([exitCode, stderr.replaceAll(/:\d+/g, ':PORT')]).toEqual([
      0,
      'Serving the sandbox. Press Ctrl-C to stop.\n' +
        'With --json > sandbox.json another shell can run: innctl profiles add local --file sandbox.json --insecure-storage\n',
    ]);
    expect(stdout.replaceAll(/:\d+/g, ':PORT')).toBe(
      'identity_url\thttp://127.0.0.1:PORT\nbase_url\thttp://127.0.0.1:PORT\ntoken_url\thttp://127.0.0.1:PORT/connect/token\n',
    );
  });

  test('prints secrets only as JSON', async () => {
    const folder = await freshFolder();
    const document = await cli('sandbox serve --json', { folder, signal: aborted });
    const { token, client_secret: secret } = JSON.parse(document.stdout);

    const { stdout, stderr } = await cli('sandbox serve --require-auth', { folder, signal: aborted });

    expect(stdout).toContain('identity_url\t');
    expect([token, secret].filter((each) => `${stdout}${stderr}${document.stderr}`.includes(each))).toEqual(
      [],
    );
  });

  test('keeps existing state, and warns if another seed is given', async () => {
    const folder = await freshFolder();
    await cli('sandbox serve', { folder, signal: aborted });

    const { exitCode, stderr } = await cli('sandbox serve --seed chain', { folder, signal: aborted });

    expect([exitCode, stderr.split('\n')[0]]).toEqual([
      0,
      'warning: The sandbox already has data, from the seed small. To reset it: innctl sandbox reset --seed chain',
    ]);
    expect(await readFile(join(folder, 'state', 'sandbox', 'state.ndjson'), 'utf8')).toContain(
      '"seed":"small"',
    );
  });

  test.each([
    ['', {}, 'contract'],
    ['--dialect apaleo', {}, 'apaleo'],
    ['', { INNCTL_DIALECT: 'apaleo' }, 'apaleo'],
    ['--dialect contract', { INNCTL_DIALECT: 'apaleo' }, 'contract'],
  ])('has the dialect of the flag or the variable: %j %j', async (flag, env, dialect) => {
    const { exitCode, stdout } = await cli(`sandbox serve --json ${flag}`, { env, signal: aborted });

    expect([exitCode, JSON.parse(stdout).profile.dialect]).toEqual([0, dialect]);
  });

  test('ignores the dialect of the active profile', async () => {
    const folder = await freshFolder();
    const add = 'profiles add hotels --identity-url https://i.example.com --base-url https://b.example.com';
    await cli(`${add} --dialect apaleo --token-file - --insecure-storage`, {
      folder,
      stdin: 'token-of-ana-1234567890',
    });

    const { stdout } = await cli('sandbox serve --json', { folder, signal: aborted });

    expect(JSON.parse((await cli('profiles show hotels --json', { folder })).stdout).dialect).toBe('apaleo');
    expect(JSON.parse(stdout).profile.dialect).toBe('contract');
  });

  test('reports a port that is in use, with exit 1', async () => {
    const port = new URL((await sandbox()).url).port;

    expect(await cli(`sandbox serve --port ${port}`)).toEqual(
      ended(
        1,
        `error: Could not listen on 127.0.0.1:${port}: the port is in use.\n` +
          'hint: Let the system choose a port: innctl sandbox serve --port 0\n',
      ),
    );
  });

  test.each([
    ['--port 65536', 'It must be a whole number from 0 to 65535.'],
    ['--dialect opera', 'Allowed choices are contract, apaleo.'],
    ['--fault explode', 'Cannot read the fault "explode": "explode" is not a kind of fault.'],
  ])('rejects %s with exit 2', async (flags, sentence) => {
    const { exitCode, stdout, stderr } = await cli(`sandbox serve ${flags}`);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });
});
