import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { hotelsYaml } from '../helpers/seeding.ts';
import { hotel } from '../sandbox/hotel.ts';
import { typedUntilSettled } from './settling.ts';
import { openStoring, type Storing } from './storing.ts';

/** A service that stores a failure, and commands that meet it. */
async function stage(status: number, more: { readonly hidesCodes?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const sandbox = await startSandbox({ folder: join(folder, 'service'), now: Date.now });
  const service = await openStoring({ service: sandbox.url, status, ...more });
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'hotels.yaml');
  await writeFile(path, hotelsYaml('HAM', 'KIE'));
  const env = {
    INNCTL_IDENTITY_URL: service.origin,
    INNCTL_BASE_URL: service.origin,
    INNCTL_TOKEN: sandbox.token,
  };
  const config = join(folder, 'config');
  let run = 0;
  const type = (line: readonly string[], now = Date.now()) => {
    run += 1;
    const uuid = `11111111-2222-4333-8444-00000000000${run}`;
    const stdin = JSON.stringify(hotel('HAM'));
    return cli(line, { env, folder: config, connect: connectUndici, stdin, uuid, now });
  };
  return { service, path, type, journal: () => journalIn(join(config, 'state', 'runs')) };
}

async function journalIn(runs: string): Promise<string> {
  const [name = ''] = (await readdir(runs)).filter((each) => each.endsWith('.ndjson'));
  return readFile(join(runs, name), 'utf8');
}

const few = ['--json', '--max-attempts', '2'];
const create = ['properties', 'create', '--file', '-', ...few];
const isOnce = ({ created }: Storing) => new Set(created).size === created.length;

describe.each([500, 501])('a key under which the service stores a %i', (status) => {
  test.each<[string, readonly string[]]>([
    ['', create],
    ['that was typed', [...create, '--idempotency-key', 'ham-1']],
  ])('%s is left by the hint once a look shows that nothing was created', async (_, line) => {
    const { service, type } = await stage(status);

    const codes = await typedUntilSettled(line, type);

    expect({ last: codes.at(-1), created: service.created.length }).toEqual({ last: 0, created: 1 });
    expect(new Set(service.keys).size).toBe(2);
  });

  test('is settled by a look with api, which nobody answers for', async () => {
    const { service, type } = await stage(status);
    const line = ['api', 'POST', '/inventory/v1/properties', '--input', '-', ...few];

    expect(await typedUntilSettled(line, type)).toEqual([8, 8, 0]);
    expect({ created: service.created, keys: new Set(service.keys).size }).toEqual({ created: [], keys: 1 });
  });

  test('is left by apply after a second run that it fails, and the journal says so', async () => {
    const { service, path, type, journal } = await stage(status);

    const codes = await typedUntilSettled(['apply', path, '--yes', ...few], type);

    expect({ codes, created: service.created.length, isOnce: isOnce(service) }).toEqual({
      codes: [8, 8, 0],
      created: 2,
      isOnce: true,
    });
    expect(new Set(service.keys).size).toBe(4);
    expect(await journal()).toMatch(
      new RegExp(
        `"state":"sent".*"note":"new key: [^ ]+ was answered with ${status}, and nothing was created"`,
      ),
    );
  });
});

test.each([400, 422])('a row that is refused with %i gets a new key at its next attempt', async (status) => {
  const { service, path, type, journal } = await stage(status);
  const line = ['apply', path, '--yes', ...few];

  const codes = [(await type(line)).exitCode, (await type(line)).exitCode];

  expect({ codes, keys: new Set(service.keys).size, isOnce: isOnce(service) }).toEqual({
    codes: [9, 0],
    keys: 4,
    isOnce: true,
  });
  expect(await journal()).toContain(`was answered with ${status}, and nothing was created`);
});

test('a key of which no answer came stays, however often', async () => {
  const { service, path, type } = await stage(500);
  service.trouble = 'lost';
  const line = ['apply', path, '--yes', ...few];

  const codes = [await type(line), await type(line), await type(line)].map(({ exitCode }) => exitCode);

  expect({ codes, keys: new Set(service.keys).size }).toEqual({ codes: [8, 8, 8], keys: 2 });
});

test('a run that no answer comes to makes two failed ones count no more', async () => {
  const { service, path, type } = await stage(500);
  const line = ['apply', path, '--yes', ...few];
  await type(line);
  await type(line);
  service.trouble = 'lost';
  // The third run has new keys already: nothing was there.
  await type(line);
  const keys = new Set(service.keys).size;
  await type(line);
  service.trouble = undefined;
  const last = await type(line);

  expect({ keys, after: new Set(service.keys).size, last: last.exitCode }).toEqual({
    keys: 4,
    after: 4,
    last: 0,
  });
});

test('a gateway that fails says nothing about the key for a quarter of an hour', async () => {
  const { service, path, type } = await stage(503);
  const line = ['apply', path, '--yes', ...few];

  const codes = [await type(line), await type(line), await type(line)].map(({ exitCode }) => exitCode);
  const keys = new Set(service.keys).size;
  const later = await type(line, Date.now() + 16 * 60_000);

  expect({ codes, keys, later: later.exitCode, isOnce: isOnce(service) }).toEqual({
    codes: [8, 8, 8],
    keys: 2,
    later: 0,
    isOnce: true,
  });
});

test('where the service shows no codes the key stays: no look shows that nothing was created', async () => {
  const { service, path, type } = await stage(500, { hidesCodes: true });
  const line = ['apply', path, '--yes', '--assume-new', ...few];

  const codes = [await type(line), await type(line), await type(line)].map(({ exitCode }) => exitCode);

  expect({ codes, keys: new Set(service.keys).size }).toEqual({ codes: [8, 8, 8], keys: 2 });
});
