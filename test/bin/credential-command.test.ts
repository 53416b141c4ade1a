import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runHelper } from '../../src/auth/helper.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { keys, openTerminal } from '../helpers/terminal.ts';
import { binary, type Home, openHome } from './home.ts';

/** Adds a profile with a credential command to a home; its service is a sandbox that requires a token. */
async function chainIn(home: Home, credential_command: string) {
  const folder = join(home.folder, 'service');
  const service = await startSandbox({ folder, now: Date.now, requireAuth: true });
  const config = join(home.folder, '.config', 'innctl');
  await mkdir(config, { recursive: true, mode: 0o700 });
  const chain = { identity_url: service.url, base_url: service.url, credential_command };
  const document = { version: 1, active_profile: 'chain', profiles: { chain } };
  await writeFile(join(config, 'config.json'), JSON.stringify(document), { mode: 0o600 });
  return { ...service, [Symbol.asyncDispose]: service.close };
}

const isGone = async (home: Home, file: string) => {
  const pid = Number(await readFile(join(home.folder, file), 'utf8'));
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return { pid: pid > 1, isGone: stat === '' || / Z /.test(stat) };
};

describe('a credential command in a real shell', () => {
  test('prints the token, its stderr is passed on, and it does not get our stdin', async () => {
    await using home = await openHome();
    const tokens = join(home.folder, 'token');
    const command = `printf 'unlocking\\n' >&2; cat; printf '{"token":"%s"}' "$(cat ${tokens} | tr -d ' ')"`;
    await using service = await chainIn(home, command);
    await writeFile(tokens, service.token);

    const listed = await home.run([process.execPath, binary, 'properties', 'list', '-q'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      started: (child) => child.stdin?.end('not for the command'),
    });

    expect(listed).toEqual({ exitCode: 0, stdout: 'BER\nMUC\nVIE\n', stderr: 'unlocking\n' });
  });

  test('runs for a dozen profiles without a warning from Node', async () => {
    await using home = await openHome();
    await using service = await chainIn(home, 'true');
    const chain = { identity_url: service.url, base_url: service.url, credential_command: 'echo none' };
    const profiles = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`chain${index}`, chain]));
    const document = JSON.stringify({ version: 1, profiles });
    await writeFile(join(home.folder, '.config', 'innctl', 'config.json'), document);

    const { exitCode, stderr } = await home.innctl(['auth', 'status', '--json']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: '' });
  });

  test('has no INNCTL_TOKEN and no INNCTL_CLIENT_SECRET in its environment', async () => {
    await using home = await openHome();
    await using service = await chainIn(home, 'true');
    const tokens = join(home.folder, 'token');
    await writeFile(tokens, service.token);
    const command = `env | grep -c -e INNCTL_TOKEN -e INNCTL_CLIENT_SECRET >&2; cat ${tokens}`;

    const listed = await home.innctl(['properties', 'count', '--json', '--profile', 'chain'], {
      INNCTL_TOKEN: 'token-of-the-variable',
      INNCTL_CLIENT_SECRET: 'secret-of-the-variable',
    });
    await home.innctl(['config', 'set', 'credential_command', command]);
    const counted = await home.innctl(['properties', 'count', '--profile', 'chain'], {
      INNCTL_TOKEN: 'token-of-the-variable',
      INNCTL_CLIENT_SECRET: 'secret-of-the-variable',
    });

    expect([listed, counted]).toEqual([
      { exitCode: 4, stdout: '', stderr: expect.stringContaining('(profile chain) prints nothing.') },
      { exitCode: 0, stdout: '3\n', stderr: '0\n' },
    ]);
  });

  test.each([
    ['exit 3', 'ended with exit code 3.'],
    ['no-such-program-here', 'ended with exit code 127: the program was not found.'],
    ['head -c 70000 /dev/zero | tr "\\0" x', 'prints more than 64 KiB.'],
    ['printf "\\377\\376"', 'prints bytes that are not UTF-8.'],
    ['kill -9 $$', 'could not be started, or was ended by a signal.'],
  ])('fails: %s', async (command, sentence) => {
    await using home = await openHome();
    await using _service = await chainIn(home, command);

    const listed = await home.innctl(['properties', 'list']);

    expect(listed).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining(`error: credential_command (profile chain) ${sentence}\n`),
    });
  });

  test('is ended by ^C', async () => {
    await using home = await openHome();
    await using _service = await chainIn(
      home,
      `cd ${home.folder}; echo $$ > shell; echo waiting >&2; while :; do sleep 1; done`,
    );
    using terminal = openTerminal([process.execPath, binary, 'properties', 'list'], {
      cwd: home.folder,
      env: home.env,
    });

    await terminal.sees('waiting');
    terminal.types(keys.ctrlC);
    const { exitCode } = await terminal.leaves();

    expect({ exitCode, ...(await isGone(home, 'shell')) }).toEqual({
      exitCode: 130,
      pid: true,
      isGone: true,
    });
  });
});

describe('runHelper', () => {
  const limits = { env: process.env, maxBytes: 1_000, say: () => {} };

  test('kills a command that ignores SIGTERM', async () => {
    await using home = await openHome();
    const ignoringSigterm = `cd ${home.folder}; trap "" TERM; echo $$ > child; echo ready >&2; while :; do sleep 1; done`;
    const stop = new AbortController();
    const say = () => stop.abort(new Error('over'));

    await expect(
      runHelper(ignoringSigterm, { ...limits, say, signal: stop.signal, limitMs: 60_000 }),
    ).rejects.toThrow('over');
    expect(await isGone(home, 'child')).toEqual({ pid: true, isGone: true });
  });

  test('stops waiting for a command at its time limit', async () => {
    const { signal } = new AbortController();

    const helped = await runHelper('sleep 600', { ...limits, signal, limitMs: 50 });

    expect(helped).toEqual({ exitCode: undefined, stdout: Buffer.alloc(0), cut: 'late' });
  });

  test('does not start a command after the run was aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('over'));

    await expect(runHelper('echo', { ...limits, signal: stop.signal, limitMs: 500 })).rejects.toThrow('over');
  });
});
