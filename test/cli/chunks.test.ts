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

test('files require each other and what Node has', () => {
  const { run } = openFolder(stamped(body('one'), '0'.repeat(16)));

  expect(run()).toMatchObject({ said: 'one', path: 'module node:path', rejected: undefined });
});

test('what V8 made of a text is taken for it', () => {
  const { run, keep } = openFolder(stamped(body('one'), '0'.repeat(16)));
  keep();

  expect(run()).toMatchObject({ said: 'one', rejected: false });
});

test('what V8 made of another text of the same length is not', () => {
  const { folder, run, keep } = openFolder(stamped(body('one'), '0'.repeat(16)));
  keep();
  writeFileSync(join(folder, 'other.js'), stamped(body('two'), '1'.repeat(16)));

  expect(run()).toMatchObject({ said: 'two', rejected: undefined });
});

test.each([
  { what: 'nothing', spoil: () => Buffer.alloc(0) },
  { what: 'a text', spoil: () => Buffer.from('x'.repeat(4_000)) },
  { what: 'JSON that is something else', spoil: () => Buffer.from('null'.padEnd(4_000)) },
  {
    what: 'parts that are none',
    spoil: () => Buffer.from('{"other.js":7,"main.js":[-1,1e9,"",0]}'.padEnd(4_000)),
  },
  { what: 'half of it', spoil: (bytes: Buffer) => bytes.subarray(0, bytes.length / 2) },
  {
    what: 'zeros for its second half',
    spoil: (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.length / 2),
  },
])('$what in its place changes nothing', ({ spoil }) => {
  const { cachedData, run, keep } = openFolder(stamped(body('one'), '0'.repeat(16)));
  keep();
  writeFileSync(cachedData, spoil(readFileSync(cachedData)));

  expect(run()).toMatchObject({ said: 'one', rejected: undefined });
});
