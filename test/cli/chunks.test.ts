import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cachedDataOf, chunkOf, openChunks, stamped } from '../../src/cli/cached-code.ts';

const body = (word: string) => chunkOf(`exports.say = () => '${word}'; exports.path = require('node:path');`);

function openFolder(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cachedData = join(folder, 'code.bin');
  writeFileSync(join(folder, 'main.js'), chunkOf("exports.other = require('./other.js');"));
  writeFileSync(join(folder, 'other.js'), text);
  const run = () => {
    const chunks = openChunks(folder, cachedData, (id) => `module ${id}`);
    const { other } = chunks.load('main.js') as { other: { say(): string; path: string } };
    const rejected = chunks.loaded.get('other.js')?.script.cachedDataRejected;
    return { said: other.say(), path: other.path, rejected, data: cachedDataOf(chunks.loaded) };
  };
  const keep = () => writeFileSync(cachedData, run().data);
  return { folder, cachedData, run, keep };
}

test('chunks require each other and built-in modules', () => {
  const { run } = openFolder(stamped(body('one'), '0'.repeat(16)));

  expect(run()).toMatchObject({ said: 'one', path: 'module node:path', rejected: undefined });
});

test('V8 accepts the cached data of the same text', () => {
  const { run, keep } = openFolder(stamped(body('one'), '0'.repeat(16)));
  keep();

  expect(run()).toMatchObject({ said: 'one', rejected: false });
});

test('cached data of another text of the same length is not used', () => {
  const { folder, run, keep } = openFolder(stamped(body('one'), '0'.repeat(16)));
  keep();
  writeFileSync(join(folder, 'other.js'), stamped(body('two'), '1'.repeat(16)));

  expect(run()).toMatchObject({ said: 'two', rejected: undefined });
});

test.each([
  { what: 'an empty file', corrupt: () => Buffer.alloc(0) },
  { what: 'plain text', corrupt: () => Buffer.from('x'.repeat(4_000)) },
  { what: 'JSON of another type', corrupt: () => Buffer.from('null'.padEnd(4_000)) },
  {
    what: 'an invalid index',
    corrupt: () => Buffer.from('{"other.js":7,"main.js":[-1,1e9,"",0]}'.padEnd(4_000)),
  },
  { what: 'a truncated file', corrupt: (bytes: Buffer) => bytes.subarray(0, bytes.length / 2) },
  {
    what: 'a second half of zeros',
    corrupt: (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.length / 2),
  },
])('cached data is ignored when it is corrupt: $what', ({ corrupt }) => {
  const { cachedData, run, keep } = openFolder(stamped(body('one'), '0'.repeat(16)));
  keep();
  writeFileSync(cachedData, corrupt(readFileSync(cachedData)));

  expect(run()).toMatchObject({ said: 'one', rejected: undefined });
});
