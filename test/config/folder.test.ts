import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { prepareFolder } from '../../src/config/stored-file.ts';
import { test } from './with-folder.ts';

test.for<[string, readonly string[], string]>([
  ['innctl', ['guests.csv'], '700'],
  ['hotels', [], '700'],
  ['hotels', ['config.json'], '700'],
  ['hotels', ['credentials.json'], '700'],
  ['hotels', ['config.json', 'credentials.json', 'state'], '700'],
  ['hotels', ['config.json.11111111-2222-4333-8444-555555555555.tmp', 'credentials.json.lock'], '700'],
  ['hotels', ['config.json', 'guests.csv'], '755'],
  ['hotels', ['guests.csv', 'state'], '755'],
  ['hotels', ['my-config.json'], '755'],
  ['hotels', ['config-json'], '755'],
  ['hotels', ['statement'], '755'],
  ['hotels', ['my-state'], '755'],
  ['my-innctl', ['guests.csv'], '755'],
])('the mode of a folder %s that contains %j becomes %s', ([name, files, mode], { folder }) => {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, 0o755);
  for (const file of files) writeFileSync(join(path, file), '');

  prepareFolder(path);

  expect((statSync(path).mode & 0o777).toString(8)).toBe(mode);
});
