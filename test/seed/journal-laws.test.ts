import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execute } from '../../src/seed/execute.ts';
import { type Item, isPending } from '../../src/seed/item.ts';
import { openJournal } from '../../src/seed/journal.ts';
import { readHistory } from '../../src/seed/journal-read.ts';
import { buildPlan } from '../../src/seed/plan.ts';
import { fc } from '../helpers/laws.ts';
import { createModel, type Fate, type Model } from './model.ts';
import { entryOf, planOptions } from './plan-service.ts';
import { contextAt, hotels } from './run.ts';
import { undisturbed } from './stage.ts';
import { type World, worlds } from './worlds.ts';

const NOON = Date.UTC(2026, 3, 21, 12);
const unanswered: readonly Fate[] = ['lost on the way there', 'lost on the way back'];
const fates: readonly Fate[] = ['answered', ...unanswered, 'refused'];

/** A run and the outcome of each of its writes; the journal is truncated afterwards. */
const runs = fc.record({
  world: worlds,
  fates: fc.array(fc.constantFrom(...fates), { maxLength: 12 }),
  cutAt: fc.double({ min: 0, max: 1, noNaN: true }),
  concurrency: fc.integer({ min: 1, max: 3 }),
});

/** The cuts include the beginning of a line, the middle of a character, and a line without its end. */
test('a journal truncated anywhere is resumed: nothing is sent twice, and every row that is not done is reported', async () => {
  await fc.assert(
    fc.asyncProperty(runs, (run) =>
      inFolder(async (path) => {
        const left = [...run.fates];
        let isCalm = false;
        const model = createModel(
          run.world.holdings,
          () => (isCalm ? undefined : left.shift()) ?? 'answered',
        );
        await carryOut(run.world, model, path, run.concurrency);
        // A run that wrote nothing leaves no journal.
        const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
        writeFileSync(path, bytes.subarray(0, Math.floor(run.cutAt * bytes.length)));
        isCalm = true;

        const { items, results } = await carryOut(run.world, model, path, run.concurrency);

        expect(model.twice()).toEqual([]);
        expect(results.filter(({ outcome, error }) => outcome !== 'done' && error === undefined)).toEqual([]);
        expect(items.filter((item, index) => isPending(item) && results[index]?.outcome !== 'done')).toEqual(
          [],
        );
        const { items: again } = await carryOut(run.world, model, path, 1);
        expect(again.filter(isPending)).toEqual([]);
      }),
    ),
    { numRuns: 40 },
  );
});

test('after a run that lost all responses, the next run ends as one without failures would have', async () => {
  const fate = fc.constantFrom<Fate>('answered', ...unanswered, 'carried out, not listed yet');
  const newHotel: World = {
    entries: [entryOf('property', 'BER', { name: { en: 'Grand Hotel' } })],
    holdings: { properties: [], users: [], invitations: [], hidesCodes: false },
  };
  const lost = fc.record({ world: worlds, fate });

  await fc.assert(
    fc.asyncProperty(lost, ({ world, fate }) =>
      inFolder(async (path) => {
        const quiet = createModel(world.holdings);
        await carryOut(world, quiet, `${path}.quiet`, 1);
        let isCalm = false;
        const model = createModel(world.holdings, () => (isCalm ? 'answered' : fate));
        await carryOut(world, model, path, 2);
        isCalm = true;

        const { results } = await carryOut(world, model, path, 2);

        expect(model.twice()).toEqual([]);
        const isOpen = results.some(({ outcome }) => outcome !== 'done');
        if (!isOpen) expect(model.held()).toEqual(quiet.held());
      }),
    ),
    { numRuns: 40, examples: [[{ world: newHotel, fate: 'carried out, not listed yet' }]] },
  );
});

test('a flipped byte of a journal is reported with its line, and the run does not start', async () => {
  await inFolder(async (path) => {
    const journal = await openJournal({ path, run: hotels, context: contextAt(() => NOON) });
    await journal.writeAll([
      { kind: 'property', name: 'Zürich', action: 'create', state: 'planned', hash: 'a' },
      { kind: 'property', name: 'Zürich', action: 'create', state: 'sent', hash: 'a', key: 'k-1' },
      { kind: 'property', name: 'Zürich', action: 'create', state: 'done', hash: 'a', key: 'k-1', id: 'P1' },
      {
        kind: 'invitation',
        name: 'ana@example.com',
        action: 'create',
        state: 'unknown',
        hash: 'b',
        error: '“no”',
      },
    ]);
    await journal.finish({ done: 1, failed: 0, unknown: 1, not_attempted: 0 });
    await journal.close();
    const whole = readFileSync(path);
    // A last line whose line break was changed looks torn by a power failure: it is ignored.
    const flips = fc
      .record({ at: fc.nat({ max: whole.length - 1 }), by: fc.integer({ min: 1, max: 255 }) })
      .filter(({ at, by }) => at < whole.length - 1 || by !== 0x0a);

    await fc.assert(
      fc.asyncProperty(flips, async ({ at, by }) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ by;
        writeFileSync(path, bytes);
        const line = whole.subarray(0, at).toString('latin1').split('\n').length;

        const outcome = await readHistory(path).catch((error: unknown) => error);

        expect(outcome).toMatchObject({
          exitCode: 2,
          code: /^(corrupt|newer)_journal$/.exec(String(Object(outcome).code))?.[0],
        });
        expect(String(outcome)).toMatch(new RegExp(`: line ${line}: |\\(version \\d of the file\\)`));
        expect(readFileSync(path).equals(bytes)).toBe(true);
      }),
      {
        examples: [[{ at: whole.length - 1, by: 1 }], [{ at: whole.indexOf('"P1"') + 2, by: 3 }]],
      },
    );
    const open = openJournal({ path, run: hotels, context: contextAt(() => NOON) });
    await expect(open).rejects.toMatchObject({ exitCode: 2 });
  });
});

async function inFolder(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-laws-'));
  try {
    await work(join(folder, 'journal.ndjson'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Plans and carries out like `apply`, with a journal on disk. */
async function carryOut({ entries }: World, { api }: Model, path: string, concurrency: number) {
  const journal = await openJournal({ path, run: hotels, context: contextAt(() => NOON) });
  const pause = async () => {};
  const items = await buildPlan(entries, api, planOptions({ memory: journal, runId: journal.runId, pause }));
  const { results } = await execute(items, {
    api,
    journal,
    ...undisturbed(),
    concurrency,
  });
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  await journal.finish({
    done: count('done'),
    failed: count('failed'),
    unknown: count('unknown'),
    not_attempted: count('not_attempted'),
  });
  await journal.close();
  return { items: items satisfies readonly Item[], results };
}
