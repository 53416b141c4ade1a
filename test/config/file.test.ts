import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { readConfig, updateConfig, withProfile } from '../../src/config/file.ts';
import { test } from './with-folder.ts';

const chain = { identity_url: 'https://identity.chain.example', base_url: 'https://api.chain.example' };

test('without a file there are no profiles', ({ folder }) => {
  expect(readConfig(join(folder, 'none'))).toEqual({ version: 1, profiles: {} });
});

test('a path below a file has no profiles', () => {
  expect(readConfig('/dev/null/.config/innctl')).toEqual({ version: 1, profiles: {} });
});

test('a written file is read back', async ({ folder, signal }) => {
  await updateConfig(folder, (document) => withProfile(document, 'chain', chain), signal);

  expect(readConfig(folder)).toEqual({ version: 1, profiles: { chain } });
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(
    `${JSON.stringify({ version: 1, profiles: { chain } }, undefined, 2)}\n`,
  );
});

test('a file with a byte order mark and without a version is read', async ({ folder, signal }) => {
  writeFileSync(join(folder, 'config.json'), `\uFEFF${JSON.stringify({ profiles: { inn: {} } })}`);

  await updateConfig(folder, (document) => withProfile(document, 'chain', chain), signal);

  expect(readConfig(folder)).toEqual({ version: 1, profiles: { inn: {}, chain } });
});

test('a change that fails, or changes nothing, writes nothing', async ({ folder, signal }) => {
  const failing = updateConfig(
    folder,
    () => {
      throw new Error('no');
    },
    signal,
  );

  await expect(failing).rejects.toThrow('no');
  await updateConfig(folder, (document) => document, signal);
  expect(() => readFileSync(join(folder, 'config.json'))).toThrow('ENOENT');
});

describe('an invalid file is rejected and not changed', () => {
  test.for([
    ['broken JSON', '{\n  "version": 1,\n  oops\n}', 'it is not valid JSON.'],
    ['a list', '[]', 'the document must be Object'],
    ['profiles that are not an object', '{"profiles": []}', 'profiles must be Object'],
    ['a key beside the profiles', '{"protect": ["BER"]}', 'it has the unknown key protect.'],
    [
      'a misspelt guard',
      '{"profiles": {"inn": {"protct": []}}}',
      'it has the unknown key profiles.inn.protct.',
    ],
    ['a secret', '{"profiles": {"inn": {"token": "x"}}}', 'it has the unknown key profiles.inn.token.'],
    [
      'a guard in a place that is not read',
      '{"profiles": {"inn": {"defaults": {"safety": "read-only"}}}}',
      'it has the unknown key profiles.inn.defaults.safety.',
    ],
    ['a file of a newer innctl', '{"version": 2}', 'was written by a newer innctl (version 2 of the file).'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8 text.'],
  ] as const)('%s', async ([, content, reason], { folder, signal }) => {
    const path = join(folder, 'config.json');
    writeFileSync(path, content);
    const refusal = expect.objectContaining({ message: expect.stringContaining(reason), exitCode: 2 });

    expect(() => readConfig(folder)).toThrow(refusal);
    expect(() => readConfig(folder)).toThrow(path);
    await expect(updateConfig(folder, () => ({ version: 1, profiles: {} }), signal)).rejects.toThrow(refusal);
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
  });

  test.for([
    ['a named pipe without a writer', (path: string) => execFileSync('mkfifo', [path])],
    ['an endless device', (path: string) => symlinkSync('/dev/zero', path)],
  ] as const)('%s in its place, without blocking', ([, make], { folder }) => {
    make(join(folder, 'config.json'));

    expect(() => readConfig(folder)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('it is not a file'), exitCode: 2 }),
    );
  });

  test('a folder in its place', async ({ folder, signal }) => {
    mkdirSync(join(folder, 'config.json'));

    await expect(updateConfig(folder, () => ({ version: 1, profiles: {} }), signal)).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining('it is not a file'), exitCode: 2 }),
    );
  });
});

test('a secret in a broken file is not quoted', ({ folder }) => {
  writeFileSync(join(folder, 'config.json'), '{"token": secret-of-ana}');

  expect(() => readConfig(folder)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret-of-ana'), cause: undefined }),
  );
});
