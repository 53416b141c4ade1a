import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { bundled } from '../helpers/bundled.ts';

const run = promisify(execFile);

const writer = await bundled(join(import.meta.dirname, 'remember-writer.ts'));
const names = (folder: string) => readdirSync(join(folder, 'completion/by-profile/chain'));

test('six processes that write the completion cache concurrently leave no torn file and no temporary file', {
  timeout: 60_000,
}, async ({ folder }) => {
  const owners = ['ana', 'ben', 'cleo', 'dan', 'eva', 'finn'];

  const ended = await Promise.all(
    owners.map((owner) => run(process.execPath, [writer, folder, owner, '200', '2000'])),
  );

  expect(ended.map(({ stdout }) => stdout)).toEqual(owners.map(() => 'kept\n'));
  expect(names(folder)).toEqual(['roles']);
});

test('a partial write to a full disk leaves the previous cache file unchanged', {
  timeout: 60_000,
}, async ({ folder }) => {
  await run(process.execPath, [writer, folder, 'ana', '1', '2000']);
  const limited = `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`;

  const { stdout } = await run('sh', ['-c', limited, process.execPath, writer, folder, 'ben', '1', '2000']);

  const kept = readFileSync(join(folder, 'completion/by-profile/chain/roles'), 'utf8');
  expect({
    stdout,
    lines: kept.split('\n').length - 1,
    first: kept.slice(0, 5),
    names: names(folder),
  }).toEqual({
    stdout: 'refused\n',
    lines: 2_000,
    first: 'ana-0',
    names: ['roles'],
  });
});
