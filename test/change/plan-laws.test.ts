import { expect, test } from 'vitest';
import type { Item } from '../../src/change/item.ts';
import { buildPlan } from '../../src/change/plan.ts';
import { itemJson, planDocument, refuseIfChanged } from '../../src/change/saved-plan.ts';
import { identityOf } from '../../src/files/entry.ts';
import { CliError } from '../../src/model/errors.ts';
import { type World, worlds } from '../files/worlds.ts';
import { fc } from '../helpers/laws.ts';
import { planOptions, serviceOf } from './plan-service.ts';
import { aurora } from './run.ts';

const planFor = ({ entries, stock }: World) => buildPlan(entries, serviceOf(stock).api, planOptions());

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
      expect(planned(await planFor({ ...world, entries }))).toEqual(planned(await planFor(world)));
    }),
  );
});

test('a flipped byte of a saved plan is detected, or does not affect what is sent', async () => {
  const flips = fc.record({ world: worlds, at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });

  await fc.assert(
    fc.asyncProperty(flips, async ({ world, at, by }) => {
      const items = await planFor(world);
      const document = { items: items.map(itemJson), ...planDocument(items, aurora, 0) };
      const bytes = Buffer.from(JSON.stringify(document));
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ by;

      const outcome = await refuseIfChanged('-', items, aurora, {
        stdin: { ends: new AbortController().signal, read: async () => bytes },
        planAgain: 'innctl plan hotels.yaml --json > plan.json',
      }).catch((error: unknown) => error);

      if (outcome === undefined) expect(essenceOf(JSON.parse(bytes.toString()))).toEqual(essenceOf(document));
      else expect([outcome instanceof CliError, outcome]).toMatchObject([true, { exitCode: 2 }]);
    }),
  );
});

/** The requests of a run of the plan, with their targets. */
function essenceOf({ items, plan }: { readonly items: readonly object[]; readonly plan: object }) {
  const { identity_url, base_url, account }: Record<string, unknown> = { ...plan };
  const sent = items.map((item) => {
    const { action, kind, name, id, patch, body, seen }: Record<string, unknown> = { ...item };
    return { action, kind, name, id, patch, body, seen };
  });
  return JSON.parse(JSON.stringify({ sent, identity_url, base_url, account }));
}
