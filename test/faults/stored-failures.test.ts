import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { hotelsYaml } from '../helpers/seeding.ts';
import { hotel } from '../sandbox/hotel.ts';
import { keyed } from './front.ts';
import { typedUntilSettled } from './settling.ts';
import { openStoring, type Storing } from './storing.ts';

/** A service that stores a failure, and commands that meet it. */
async function stage(status: number) {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const sandbox = await startSandbox({ folder: join(folder, 'service'), now: Date.now });
  const service = await openStoring({ service: sandbox.url, status });
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
    ...keyed,
  };
  const config = join(folder, 'config');
  let run = 0;
  const type = (line: readonly string[], now = Date.now()) => {
    run += 1;
    const uuid = `11111111-2222-4333-8444-00000000000${run}`;
    const stdin = JSON.stringify(hotel('HAM'));
    return cli(line, { env, folder: config, connect: connectUndici, stdin, uuid, now });
  };
  return { service, path, type };
}

const few = ['--json', '--max-attempts', '2'];
const create = ['properties', 'create', '--file', '-', ...few];
const isOnce = ({ created }: Storing) => new Set(created).size === created.length;

const DAY_MS = 24 * 60 * 60_000;

describe.each([500, 501, 503])('a key under which the service stores a %i', (status) => {
  test.each<[string, (path: string) => readonly string[], number]>([
    ['properties create', () => create, 1],
    ['apply', (path) => ['apply', path, '--yes', ...few], 2],
  ])('is kept by %s, and left after a day', async (_, line, creations) => {
    const { service, path, type } = await stage(status);

    const codes = await typedUntilSettled(line(path), type);
    const keys = new Set(service.keys).size;
    const later = await type(line(path), Date.now() + DAY_MS);

    expect({ codes, keys, later: later.exitCode }).toEqual({
      codes: [8, 8, 8, 8],
      keys: creations,
      later: 0,
    });
    expect(service.created).toHaveLength(creations);
  });
});

test.each([500, 501])('a %i to api is settled by a look, which nobody answers for', async (status) => {
  const { service, type } = await stage(status);
  const line = ['api', 'POST', '/inventory/v1/properties', '--input', '-', ...few];

  expect(await typedUntilSettled(line, type)).toEqual([8, 8, 0]);
  expect({ created: service.created, keys: new Set(service.keys).size }).toEqual({ created: [], keys: 1 });
});

test.each([400, 422])('a row that is refused with %i gets a new key at its next attempt', async (status) => {
  const { service, path, type } = await stage(status);
  const line = ['apply', path, '--yes', ...few];

  const codes = [(await type(line)).exitCode, (await type(line)).exitCode];

  expect({ codes, keys: new Set(service.keys).size, isOnce: isOnce(service) }).toEqual({
    codes: [9, 0],
    keys: 4,
    isOnce: true,
  });
});

test('a key of which no answer came stays, however often', async () => {
  const { service, path, type } = await stage(500);
  service.trouble = 'lost';
  const line = ['apply', path, '--yes', ...few];

  const codes = [await type(line), await type(line), await type(line)].map(({ exitCode }) => exitCode);

  expect({ codes, keys: new Set(service.keys).size }).toEqual({ codes: [8, 8, 8], keys: 2 });
});
