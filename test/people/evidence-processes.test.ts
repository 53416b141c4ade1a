import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyEvidence } from '../../src/people/evidence.ts';
import { bundled } from '../helpers/bundled.ts';
import { documentsOf } from '../helpers/evidence.ts';

const script = await bundled(join(import.meta.dirname, 'evidence-writer.ts'));
const limits = { timeout: 120_000 };

async function openFolder() {
  const above = await mkdtemp(join(tmpdir(), 'innctl-evidence-'));
  return {
    folder: join(above, 'evidence'),
    [Symbol.asyncDispose]: () => rm(above, { recursive: true, force: true }),
  };
}

/** Writes evidence in a process. @param killAt it is killed as soon as it says this. */
async function write(folder: string, name: string, count: number, killAt?: string) {
  const child = spawn(process.execPath, [script, folder, name, String(count)]);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (killAt !== undefined && `\n${said}`.includes(`\n${killAt}\n`)) child.kill('SIGKILL');
  });
  const [exitCode, signal] = await once(child, 'close');
  return { exitCode, signal, written: said.split('\n').filter((line) => /^\d+$/.test(line)).length };
}

test('four processes at once keep one chain, without a gap', limits, async () => {
  await using place = await openFolder();
  const { folder } = place;
  const names = ['ana', 'ben', 'cleo', 'dan'];

  const ended = await Promise.all(names.map((name) => write(folder, name, 5)));

  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  const { documents, open } = verifyEvidence(folder);
  const people = (await documentsOf(folder)).map(({ person }) => person.email.split('@')[0]);
  expect({ people: people.toSorted(), documents, open: open.size }).toEqual({
    people: names.flatMap((name) => Array(5).fill(name)),
    documents: 20,
    open: 0,
  });
});

test(
  'a process that is killed leaves a chain that is intact, and the next one goes on with it',
  limits,
  async () => {
    await using place = await openFolder();
    const { folder } = place;
    const count = () => verifyEvidence(folder).documents;
    await write(folder, 'ana', 1);

    for (const killAt of ['begun 1', '1', 'begun 2', '5', 'begun 9', '20']) {
      const before = count();
      const { signal, written } = await write(folder, 'ana', 100_000, killAt);

      expect(signal).toBe('SIGKILL');
      expect(count() - before).toBeGreaterThanOrEqual(written);
    }

    const { exitCode } = await write(folder, 'ana', 1);
    expect({ exitCode, open: verifyEvidence(folder).open.size }).toEqual({ exitCode: 0, open: 0 });
  },
);
