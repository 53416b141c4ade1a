import { CliError, type Detail, invalidInput } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { missingToCreate } from '../manifest/body.ts';
import { type Entry, placeText } from '../manifest/entry.ts';
import type { Item } from './item.ts';
import { type Listings, listPeople } from './match-people.ts';
import { planProperties } from './match-properties.ts';
import { planDeletions, unwanted } from './plan-deletions.ts';
import { planInvitation } from './plan-invitation.ts';
import { createTally, type PlanApi, type PlanOptions, type Tally } from './plan-options.ts';
import { planUser } from './plan-user.ts';
import { indexProperties, type PropertyIndex } from './property-index.ts';
import { type NameProperties, nameProperties, referencesIn } from './property-references.ts';
import { eachOf } from './workers.ts';

/** More problems are not told one by one. */
const MOST_DETAILS = 100;

/**
 * Says what would have to be done so that the service is as the entries say. Only reads.
 *
 * @param entries of one manifest: no two have one kind and name.
 * @returns one item for each entry, in their order, and the deletions after them.
 * @throws {CliError} when the service cannot be read: then nothing can be concluded.
 */
export async function buildPlan(
  entries: readonly Entry[],
  api: PlanApi,
  options: PlanOptions,
): Promise<readonly Item[]> {
  const tally = createTally(options.onRead);
  const leaving = unwanted(entries, options);
  const { items: properties, nameOf } = await planThePlaces(entries, api, options, tally);
  const listings = await listPeople(
    entries.filter(isKnownByEmail),
    leaving.filter(({ kind }) => kind === 'invitation').map(({ name }) => name),
    api,
    options,
  );
  const people = await planThePeople(entries, nameOf, { api, listings, options, tally });
  const items = entries.flatMap((entry) => properties.get(entry) ?? people.get(entry) ?? []);
  const named = leaving.length === 0 ? [] : entries.flatMap((entry) => nameOf(entry).ids ?? []);
  const used = new Set([...named, ...[...properties.values()].flatMap(({ id }) => id ?? [])]);
  return [...items, ...(await planDeletions(leaving, { used, listings }, api, options))];
}

/**
 * A property cannot be created without what the contract asks for and services never show.
 *
 * @throws {CliError} exit 2 naming file, row and field of all that is missing.
 */
export function refuseIncomplete(items: readonly Item[]): void {
  const details = items.flatMap(({ action, entry }): readonly Detail[] => {
    if (action !== 'create' || entry === undefined) return [];
    return missingToCreate(entry).map((field) => ({
      field: `${placeText(entry.place)}: ${field}`,
      reason: 'is missing, and the property is to be created',
    }));
  });
  if (details.length === 0) return;
  const more = details.length - MOST_DETAILS;
  const rest = more > 0 ? [{ field: 'and', reason: `${more} more` }] : [];
  throw invalidInput([...details.slice(0, MOST_DETAILS), ...rest]);
}

interface Places {
  readonly items: ReadonlyMap<Entry, Item>;
  readonly nameOf: NameProperties;
}

async function planThePlaces(
  entries: readonly Entry[],
  api: PlanApi,
  options: PlanOptions,
  tally: Tally,
): Promise<Places> {
  const properties = entries.filter(({ kind }) => kind === 'property');
  const references = [...new Set(entries.flatMap((entry) => referencesIn(entry) ?? []))];
  if (properties.length + references.length === 0) {
    return { items: new Map(), nameOf: nameProperties(undefined, []) };
  }
  const index = await indexOrForbidden(api, properties.length > 0);
  if (index === undefined) return { items: new Map(), nameOf: nameProperties(undefined, []) };
  const codes = references.filter((reference) => !index.hasId(reference));
  const items = await planProperties(properties, codes, { api, index, options, tally });
  return { items, nameOf: nameProperties(index, items.values()) };
}

/** A token for people alone may list no properties: what they are called is for the service to judge then. */
async function indexOrForbidden(api: PlanApi, isNeeded: boolean): Promise<PropertyIndex | undefined> {
  try {
    return await indexProperties(api);
  } catch (cause) {
    const isForbidden = cause instanceof CliError && cause.exitCode === ExitCode.forbidden;
    if (isNeeded || !isForbidden) throw cause;
    return undefined;
  }
}

interface Surroundings {
  readonly api: PlanApi;
  readonly listings: Listings;
  readonly options: PlanOptions;
  readonly tally: Tally;
}

async function planThePeople(
  entries: readonly Entry[],
  nameOf: NameProperties,
  { tally, ...surroundings }: Surroundings,
): Promise<ReadonlyMap<Entry, Item>> {
  const { listings, options } = surroundings;
  const items = new Map<Entry, Item>();
  for (const entry of entries.filter(({ kind }) => kind === 'invitation')) {
    items.set(entry, planInvitation(entry, nameOf(entry), listings, options));
  }
  const users = entries.filter(({ kind }) => kind === 'user');
  tally.expect(users.length);
  await eachOf(users, options.workers, async (entry) => {
    items.set(entry, await planUser(entry, nameOf(entry), surroundings));
    tally.tick();
  });
  return items;
}

function isKnownByEmail({ kind, fields }: Entry): boolean {
  return kind === 'invitation' || (kind === 'user' && fields['subject_id'] === undefined);
}
