import { expect, test } from 'vitest';
import { parseApplyFlags, parsePlanFlags } from '../../src/change/flags.ts';
import { colourFor } from '../../src/print/paint.ts';
import { allOf, defaultOf } from '../../src/reference/model.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { startSandbox } from '../helpers/fault-front.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { commandModel } from './tree.ts';

const everyFlag = allOf(await commandModel()).flatMap(({ path, flags }) =>
  flags.map((flag) => ({ ...flag, place: [...path, flag.long].join(' ') })),
);

const defaults = Object.fromEntries(everyFlag.map(({ place, value }) => [place, value?.default]));

test('defaults in help texts equal the defaults in the model', () => {
  const stated = everyFlag.flatMap(({ place, description }) => {
    const [, text] = /\(default: ([^)]*)\)/.exec(description) ?? [];
    return text === undefined ? [] : [{ place, text }];
  });
  const described = stated.filter(({ place, text }) => text !== String(defaults[place]));

  expect(described).toEqual([
    { place: '--timeout', text: '120 per request' },
    { place: 'access report --invitation-days', text: '30 in dialect apaleo' },
    { place: 'properties create --idempotency-key', text: 'generated' },
    { place: 'properties clone --idempotency-key', text: 'generated' },
    { place: 'unit-groups create --idempotency-key', text: 'generated' },
    { place: 'units list --status', text: 'Active' },
    { place: 'units count --status', text: 'Active' },
    { place: 'units create --idempotency-key', text: 'generated' },
    { place: 'unit-attributes create --idempotency-key', text: 'generated' },
    { place: 'login --redirect-port', text: 'a free port' },
    { place: 'login --issuer', text: 'the identity URL' },
    { place: 'login --authorization-url', text: 'discovered' },
    { place: 'login --device-authorization-url', text: 'discovered' },
    { place: 'login --token-url', text: 'discovered' },
    { place: 'login --revocation-url', text: 'discovered' },
    { place: 'profiles add --auth', text: 'client-credentials with a client id' },
    { place: 'profiles add --token-url', text: '/connect/token below the identity URL' },
    { place: 'sandbox serve --port', text: 'a free port' },
  ]);
  expect(described.map(({ place }) => defaults[place])).toEqual(described.map(() => undefined));
  expect(stated.length).toBeGreaterThan(described.length);
});

test('apply and plan use the documented defaults of their flags', () => {
  expect({ concurrency: parseApplyFlags({}).concurrency, progress: parseApplyFlags({}).progress }).toEqual({
    concurrency: defaults['apply --concurrency'],
    progress: defaults['apply --progress'],
  });
  expect(parsePlanFlags({}).concurrency).toBe(defaults['plan --concurrency']);
});

test('colour detection uses the default of --color', () => {
  const choose = (flag: 'auto' | undefined) =>
    [true, false].map((isTerminal) => colourFor({ flag, env: {}, isTerminal }));

  expect(defaults['--color']).toBe('auto');
  expect(choose(undefined)).toEqual(choose('auto'));
});

test('settings have the documented defaults of their flags', async () => {
  const inForce = async (key: string) => JSON.parse((await cli(`config get ${key} --json`)).stdout).value;

  expect({ attempts: await inForce('max_attempts'), body: await inForce('max_body') }).toEqual({
    attempts: defaults['--max-attempts'],
    body: defaults['--max-body'],
  });
});

test('profiles add uses the documented defaults of its flags', async () => {
  const folder = await temporaryFolder();
  const urls = '--identity-url https://identity.example.com --base-url https://api.example.com';

  await cli(`profiles add chain ${urls} --token-file - --insecure-storage`, {
    folder,
    stdin: 'token-of-ana-1234567890',
  });
  const shown = async (key: string) =>
    JSON.parse((await cli(`config get ${key} --json`, { folder })).stdout).value;

  expect({ dialect: await shown('dialect'), header: await shown('idempotency_header') }).toEqual({
    dialect: defaults['profiles add --dialect'],
    header: defaults['profiles add --idempotency-header'],
  });
});

test('a list is complete, and a page has the default --page-size', async () => {
  const folder = await temporaryFolder();
  await cli('sandbox reset --seed chain', { folder });

  const count = async (flags: string) =>
    JSON.parse(
      (await cli(`--sandbox --json properties list ${flags}`, { folder, connect: connectUndici })).stdout,
    ).items.length;

  expect([await count(''), await count('--page-number 1')]).toEqual([
    240,
    defaults['properties list --page-size'],
  ]);
});

test('the sandbox uses the default seed', async () => {
  const sandbox = await startSandbox({ folder: await temporaryFolder(), now: Date.now });
  await sandbox.close();

  expect([sandbox.seed, sandbox.seed]).toEqual([
    defaults['sandbox serve --seed'],
    defaults['sandbox reset --seed'],
  ]);
});

test('a global flag has its default only at the root', () => {
  expect([defaultOf([], '--max-body'), defaultOf(['properties', 'list'], '--max-body')]).toEqual([
    8,
    undefined,
  ]);
});
