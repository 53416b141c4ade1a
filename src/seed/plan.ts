import { CliError, type Detail, invalidInput } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { settleCreations } from './creation-rules.ts';
import { type Entry, isInventory, kindText, missingToCreate, placeText } from './entry.ts';
import type { Item } from './item.ts';
import { neededFields } from './kind.ts';
import { listPeople, readRoles } from './match-people.ts';
import { planProperties } from './match-properties.ts';
import { createPlanContext, type PlanApi, type PlanContext, type PlanOptions } from './plan-context.ts';
import { planDeletions, unwanted } from './plan-deletions.ts';
import { planInventory } from './plan-inventory.ts';
import { type PeopleContext, planInvitation, planUser } from './plan-people.ts';
import { indexProperties } from './property-index.ts';
import { createResolver, referencesIn } from './property-references.ts';
import { unresolvedProperties } from './row.ts';
import { eachOf } from './workers.ts';

/**
 * Plans the changes that make the service match the entries. Only reads.
 *
 * @param entries of one manifest, unique by kind and name.
 * @returns one item for each entry, in their order, then the deletions.
 * @throws {CliError} when the service cannot be read.
 */
export async function buildPlan(
  entries: readonly Entry[],
  api: PlanApi,
  options: PlanOptions,
): Promise<readonly Item[]> {
  const leaving = unwanted(entries, options);
  const context = createPlanContext(api, options);
  const { items: properties, index } = await planAllProperties(entries, context);
  const resolve = createResolver(index, properties.values());
  const byEmail = entries.filter(isKnownByEmail);
  const withdrawn = leaving.filter(({ kind }) => kind === 'invitation');
  const listings = await listPeople(byEmail, withdrawn, context);
  const roles = await readRoles(entries, api, options.warn);
  const withPeople = { ...context, resolve, listings, roles };
  const people = await planAllPeople(entries, withPeople);
  const unresolved = unresolvedProperties([...properties.values()]);
  const inventory = await planInventory(entries, { ...context, resolve, unresolved });
  const itemOf = (entry: Entry) => properties.get(entry) ?? inventory.get(entry) ?? people.get(entry) ?? [];
  const items = await settleCreations(entries.flatMap(itemOf), api, options);
  const namedBy = (entry: Entry) => [...(resolve(entry).ids ?? []), ...(referencesIn(entry) ?? [])];
  const named = leaving.length === 0 ? [] : entries.flatMap(namedBy);
  const linked = [...inventory.values()].flatMap(({ links }) => [...(links?.values() ?? [])]);
  const used = new Set([
    ...named,
    ...[...properties.values()].flatMap(({ id }) => id ?? []),
    ...linked.flatMap((link) => ('id' in link ? [link.id] : [])),
  ]);
  return [...items, ...(await planDeletions(leaving, used, withPeople))];
}

/**
 * Refuses to create a record without required fields, which other entries may omit.
 *
 * @throws {CliError} exit 2 naming file, row and field of each missing value.
 */
export function refuseIncomplete(items: readonly Item[], { dialect }: Pick<PlanApi, 'dialect'>): void {
  const details = items.flatMap(({ action, entry, body = {} }): readonly Detail[] => {
    if (action !== 'create' || entry === undefined) return [];
    const { kind, place } = entry;
    const missing = isInventory(kind)
      ? neededFields(kind).filter((field) => body[field] === undefined)
      : missingToCreate(entry, dialect);
    const group = kind === 'unit' ? '; a unit group would give it' : '';
    return missing.map((field) => ({
      field: `${placeText(place)}: ${field}`,
      reason: `is missing, and the ${kindText(kind)} is to be created${group}`,
    }));
  });
  if (details.length === 0) return;
  throw invalidInput(details);
}

async function planAllProperties(entries: readonly Entry[], context: PlanContext) {
  const properties = entries.filter(({ kind }) => kind === 'property');
  const references = [...new Set(entries.flatMap((entry) => referencesIn(entry) ?? []))];
  const codes = properties.map(({ name }) => name);
  const isNeeded = properties.length > 0;
  const index =
    isNeeded || references.length > 0
      ? await indexProperties(context.api, codes).catch((cause) => unlessForbidden(cause, isNeeded))
      : undefined;
  if (index === undefined) return { items: new Map<Entry, Item>(), index };
  const open = references.filter((reference) => !index.hasId(reference));
  return { items: await planProperties(properties, open, { ...context, index }), index };
}

/** Some tokens may not list properties: then references are not checked here. */
function unlessForbidden(cause: unknown, isNeeded: boolean): undefined {
  if (isNeeded || !(cause instanceof CliError) || cause.exitCode !== ExitCode.forbidden) throw cause;
}

async function planAllPeople(
  entries: readonly Entry[],
  context: PeopleContext,
): Promise<ReadonlyMap<Entry, Item>> {
  const items = new Map<Entry, Item>();
  for (const entry of entries.filter(({ kind }) => kind === 'invitation'))
    items.set(entry, planInvitation(entry, context));
  const users = entries.filter(({ kind }) => kind === 'user');
  await eachOf(users, context.options.workers, async (entry) => {
    items.set(entry, await planUser(entry, context));
  });
  return items;
}

function isKnownByEmail({ kind, fields }: Entry): boolean {
  return kind === 'invitation' || (kind === 'user' && fields['subject_id'] === undefined);
}
