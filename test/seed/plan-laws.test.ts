import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { identityOf } from '../../src/seed/entry.ts';
import { execute } from '../../src/seed/execute.ts';
import { type Item, isPending } from '../../src/seed/item.ts';
import { itemJson } from '../../src/seed/item-json.ts';
import { buildPlan } from '../../src/seed/plan.ts';
import { planDocument, refuseIfChanged } from '../../src/seed/saved-plan.ts';
import { fc } from '../helpers/laws.ts';
import { createModel, type Model } from './model.ts';
import { planOptions } from './plan-service.ts';
import { hotels } from './run.ts';
import { undisturbed } from './stage.ts';
import { type World, worlds } from './worlds.ts';

const planFor = ({ entries }: Pick<World, 'entries'>, { api }: Model) =>
  buildPlan(entries, api, planOptions());

const carryOut = (items: readonly Item[], { api }: Model, concurrency: number) =>
  execute(items, {
    api,
    journal: {
      recall: () => undefined,
      bulkKeyFor: ({ name }) => `bulk key of ${name}`,
      keyFor: ({ name }) => ({ key: `key of ${name}` }),
      write: async () => {},
      writeAll: async () => {},
    },
    ...undisturbed(),
    concurrency,
  });

const actionsIn = (items: readonly Item[]) =>
  Object.fromEntries(items.map((item) => [identityOf(item), item.action]));

test('a plan that was carried out is not planned again, and nothing is created twice', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, fc.integer({ min: 1, max: 4 }), async (world, workers) => {
      const model = createModel(world.holdings);
      const planned = await planFor(world, model);

      const { results } = await carryOut(planned, model, workers);

      const undone = planned.filter((item, index) => isPending(item) && results[index]?.outcome !== 'done');
      expect(undone).toEqual([]);
      const again = await planFor(world, model);
      expect(actionsIn(again)).toEqual(actionsIn(planned.map(onceDone)));
      expect(model.twice()).toEqual([]);
    }),
  );
});

test('the plan of each entry does not depend on their order', async () => {
  const shuffled = worlds.chain((world) =>
    fc
      .shuffledSubarray([...world.entries], { minLength: world.entries.length })
      .map((entries) => ({ world, entries })),
  );
  const planned = (items: readonly Item[]) =>
    new Map(items.map((item) => [identityOf(item), itemJson(item)]));

  await fc.assert(
    fc.asyncProperty(shuffled, async ({ world, entries }) => {
      const [one, other] = [createModel(world.holdings), createModel(world.holdings)];

      expect(planned(await planFor({ entries }, one))).toEqual(planned(await planFor(world, other)));
    }),
  );
});

test('planning changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const model = createModel(world.holdings);
      const before = JSON.stringify(model.held());

      await planFor(world, model);

      expect(JSON.stringify(model.held())).toBe(before);
    }),
  );
});

test('a flipped byte of a saved plan is detected, or does not affect what is sent', async () => {
  const flips = fc.record({ world: worlds, at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });

  await fc.assert(
    fc.asyncProperty(flips, async ({ world, at, by }) => {
      const items = await planFor(world, createModel(world.holdings));
      const document = { items: items.map(itemJson), ...planDocument(items, hotels.target, 0) };
      const bytes = Buffer.from(JSON.stringify(document));
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ by;

      const outcome = await refuseIfChanged('-', items, hotels.target, {
        stdin: { ends: new AbortController().signal, read: async () => bytes },
        planAgain: 'innctl plan hotels.yaml --json > plan.json',
      }).catch((error: unknown) => error);

      if (outcome === undefined) expect(essenceOf(JSON.parse(bytes.toString()))).toEqual(essenceOf(document));
      else expect([outcome instanceof CliError, outcome]).toMatchObject([true, { exitCode: 2 }]);
    }),
  );
});

/** What a plan shows of an item after its run: fields that the service does not show cannot be compared. */
function onceDone(item: Item): Item {
  if (!isPending(item)) return item;
  return { ...item, action: item.unread.length > 0 ? 'cannot_compare' : 'same' };
}

/** The requests of a run of the plan, with their targets. */
function essenceOf({ items, plan }: { readonly items: readonly object[]; readonly plan: object }) {
  const { identity_url, base_url, account }: Record<string, unknown> = { ...plan };
  const sent = items.map((item) => {
    const { action, kind, name, id, patch, body, seen }: Record<string, unknown> = { ...item };
    return { action, kind, name, id, patch, body, seen };
  });
  return JSON.parse(JSON.stringify({ sent, identity_url, base_url, account }));
}
