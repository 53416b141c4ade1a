import { sameName } from '../manifest/entry.ts';
import { isRecord } from '../records.ts';
import type { Item } from './item.ts';
import type { Result } from './result.ts';

/** What a person's request sends once the properties of the run have their ids, or the property that has none. */
export type Resolved<Value> = { readonly value: Value } | { readonly missing: Item };

/** Puts the ids of the properties that this run creates into what people's requests send. */
export interface References {
  /** The same body with ids in its `properties`. */
  inBody(body: Readonly<Record<string, unknown>>): Resolved<Readonly<Record<string, unknown>>>;
  /** The same steps with ids at `/properties`. */
  inSteps(steps: Item['steps']): Resolved<Item['steps']>;
}

/**
 * Knows the properties of a plan that have no id yet by their codes, letters in any case.
 *
 * @param resultOf how a row ended.
 */
export function createReferences(
  items: readonly Item[],
  resultOf: (item: Item) => Result | undefined,
): References {
  let created: ReadonlyMap<string, Item> | undefined;
  const resolve = (value: unknown): Resolved<unknown> => {
    if (!Array.isArray(value)) return { value };
    const known = created ?? withoutId(items);
    created = known;
    const ids = value.map((code) => {
      const item = typeof code === 'string' ? known.get(sameName(code)) : undefined;
      return item === undefined ? { value: code } : idOf(item, resultOf(item));
    });
    const missing = ids.find((each) => 'missing' in each);
    return missing ?? { value: ids.map((each) => ('value' in each ? each.value : undefined)) };
  };
  return {
    inBody(body) {
      const found = resolve(body['properties']);
      if ('missing' in found) return found;
      return { value: found.value === undefined ? body : { ...body, properties: found.value } };
    },
    inSteps(steps) {
      const resolved = steps.map((step) => {
        if (step.path !== '/properties' || !isRecord(step) || !('value' in step)) return { value: step };
        const found = resolve(step.value);
        return 'missing' in found ? found : { value: { ...step, value: found.value } };
      });
      const missing = resolved.find((each) => 'missing' in each);
      return missing ?? { value: resolved.flatMap((each) => ('value' in each ? [each.value] : [])) };
    },
  };
}

function isWithoutId(action: Item['action']): boolean {
  return action === 'create' || action === 'cannot_tell';
}

/** Most runs name none of them. */
function withoutId(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(
    items
      .filter(({ kind, action, id }) => kind === 'property' && id === undefined && isWithoutId(action))
      .map((item) => [sameName(item.name), item]),
  );
}

function idOf(item: Item, result: Result | undefined): Resolved<unknown> {
  return result?.outcome === 'done' && result.id !== undefined ? { value: result.id } : { missing: item };
}
