import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { readConfig } from '../../src/config/file.ts';
import { createJournalFile } from '../../src/journal/file.ts';
import { verifyEvidence } from '../../src/people/evidence.ts';
import { openStore } from '../../src/sandbox/store.ts';
import { test as inFolder } from '../config/with-folder.ts';
import { bundled } from '../helpers/bundled.ts';
import { documentsOf } from '../helpers/evidence.ts';
import { leaveLock } from './left-lock.ts';
import type { Store } from './writer.ts';

const script = await bundled(join(import.meta.dirname, 'writer.ts'));

/** A test with a folder for a store, which does not exist yet. */
const test = inFolder.extend<{ place: string }>({
  place: ({ folder }, use) => use(join(folder, 'store')),
});

interface Case {
  /** Below the folder: the only file that remains. */
  readonly file: string;
  /** The changes that another process finds, of those that were reported. */
  readonly kept: (
    place: string,
    reported: readonly string[],
  ) => readonly string[] | Promise<readonly string[]>;
}

const stores: Readonly<Record<Store, Case>> = {
  settings: { file: 'config.json', kept: (place) => Object.keys(readConfig(place).profiles) },
  evidence: {
    file: 'evidence.ndjson',
    kept: async (place) => {
      const documents = await documentsOf(place);
      expect(verifyEvidence(place).documents).toBe(documents.length);
      return documents.map(({ after }) => after.change);
    },
  },
  sandbox: {
    file: 'state.ndjson',
    kept: async (place) => {
      const store = await openStore({ folder: place, seed: 'small', now: Date.now });
      const ids = [...store.read().records.properties.keys()];
      await store.close();
      return ids.filter((id) => id.includes('_'));
    },
  },
  journal: {
    file: 'journal.ndjson',
    kept: async (place, reported) => {
      const history = await createJournalFile(join(place, 'journal.ndjson')).read();
      return reported.filter((name) => history.recall('property', name) !== undefined);
    },
  },
  cache: {
    file: 'completion/by-profile/chain/roles',
    kept: (place) => {
      const text = readFileSync(join(place, 'completion/by-profile/chain/roles'), 'utf8');
      const [owner] = text.split('_');
      return [text === `${owner}_\t\n`.repeat(2_000) ? `${owner}_0` : text];
    },
  },
};

/** The files of a store, and what it has left unfinished. */
function left(store: Store, place: string): readonly unknown[] {
  const found = readdirSync(place, { recursive: true, withFileTypes: true });
  const files = found.filter((each) => !each.isDirectory()).map((each) => join(each.parentPath, each.name));
  return [...files, ...(store === 'evidence' ? verifyEvidence(place).open.keys() : [])];
}

/** A process that writes, and what it has said. */
function start(command: readonly string[]) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const closed = once(child, 'close');
  const lines = () => text.split('\n').slice(0, -1);
  return {
    lines,
    /** The changes that it reported as made. */
    made: () => lines().filter((line) => /^\w+_\d+$/.test(line)),
    says: (words: RegExp) => expect.poll(() => text, { timeout: 50_000, interval: 5 }).toMatch(words),
    ended: async () => (await closed)[0],
    kill: async () => {
      child.kill('SIGKILL');
      expect((await closed)[1]).toBe('SIGKILL');
    },
  };
}

const writer = (store: Store, place: string, name: string, count: number) =>
  start([process.execPath, script, store, place, name, String(count)]);

/** Lets a process write once, and expects that nothing of what was reported is missing then. */
async function writeOnce(store: Store, place: string, name: string, reported: readonly string[]) {
  const next = writer(store, place, name, 1);
  expect([await next.ended(), next.made()]).toEqual([0, [`${name}_0`]]);
  const all = [...reported, `${name}_0`];
  const kept = await stores[store].kept(place, all);
  expect(all.filter((each) => !kept.includes(each))).toEqual([]);
  expect(left(store, place)).toEqual([join(place, stores[store].file)]);
}

const people = ['ANA', 'BEN', 'CLEO', 'DAN', 'EVA', 'FINN', 'GITA', 'HUGO'];

describe('processes that write at once lose nothing', () => {
  test.for<[Store, readonly string[], number]>([
    ['settings', people, 15],
    ['sandbox', people, 10],
    ['journal', people, 10],
    ['evidence', people.slice(4), 5],
  ])('%s', async ([store, names, count], { place }) => {
    const { file, kept } = stores[store];
    mkdirSync(place);
    // All of them find a stale lock there.
    if (store === 'settings' || store === 'journal') await leaveLock(join(place, file));

    const writers = names.map((name) => writer(store, place, name, count));
    const ended = await Promise.all(writers.map((each) => each.ended()));

    const wanted = names.flatMap((name) => Array.from({ length: count }, (_, index) => `${name}_${index}`));
    expect(ended).toEqual(names.map(() => 0));
    expect(writers.flatMap((each) => each.made())).toEqual(wanted);
    expect((await kept(place, wanted)).toSorted()).toEqual(wanted.toSorted());
    expect(left(store, place)).toEqual([join(place, file)]);
  });

  test('cache: the file is always a whole one', async ({ place }) => {
    const writers = people.map((name) => writer('cache', place, name, 200));
    const ended = await Promise.all(writers.map((each) => each.ended()));

    expect(ended).toEqual(people.map(() => 0));
    expect(writers.filter((each) => each.made().length === 0)).toEqual([]);
    expect(left('cache', place)).toEqual([join(place, stores.cache.file)]);
  });
});

test.for<[Store, readonly string[]]>([
  ['journal', ['_50']],
  ['sandbox', ['_20']],
  ['evidence', ['begun .*_0', '_0', 'begun .*_1', '_4', 'begun .*_8', '_19']],
])(
  '%s: a process that is killed keeps what it reported, and the next one goes on',
  async ([store, moments], { place }) => {
    const reported: string[] = [];
    for (const [index, moment] of moments.entries()) {
      const killed = writer(store, place, `HTL_${index}`, 100_000);
      await killed.says(new RegExp(`^${moment.startsWith('_') ? 'HTL_.*' : ''}${moment}$`, 'm'));
      await killed.kill();
      reported.push(...killed.made());

      const kept = await stores[store].kept(place, reported);
      expect(reported.filter((each) => !kept.includes(each))).toEqual([]);
      expect(kept.length - reported.length).toBeLessThanOrEqual(index + 1);
    }

    await writeOnce(store, place, 'HTL_Z', reported);
  },
);

test.for<[Store, number, number, string]>([
  ['journal', 8, 100_000, 'journal_failed: Could not write the journal '],
  ['sandbox', 28, 30, 'refused 507 {"error":{"code":"sandbox_full"'],
  ['cache', 8, 1, 'refused '],
])(
  '%s: a full disk refuses changes, and those before remain',
  async ([store, kib, count, refusal], { place }) => {
    const { file, kept } = stores[store];
    await writeOnce(store, place, 'ANA', []);

    const limit = `ulimit -f ${kib}; exec "$@"`;
    const args = [process.execPath, script, store, place, 'BEN', String(count)];
    const limited = start(['bash', '-c', limit, 'bash', ...args]);
    await limited.ended();

    const made = ['ANA_0', ...limited.made()];
    expect(limited.lines().join('\n')).toContain(refusal);
    expect(made.length).toBeGreaterThan(store === 'cache' ? 0 : 5);
    expect(await kept(place, [...made, `BEN_${made.length - 1}`])).toEqual(made);
    if (store === 'journal') expect(readFileSync(join(place, file), 'utf8').endsWith('\n')).toBe(true);
    await writeOnce(store, place, 'CLEO', store === 'cache' ? [] : made);
  },
);
