import { CliError, type Detail, invalidInput } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Entry, isInventory, type Kind, kindText, missingToCreate, placeText } from '../files/entry.ts';
import { neededFields } from '../files/kind.ts';
import type { Redactor } from '../print/redaction.ts';
import type { Dialect } from '../service/dialect.ts';
import type { Api } from '../service/service.ts';
import { createReadBreaker } from './breakers.ts';
import { settleCreations } from './creation-rules.ts';
import type { Item } from './item.ts';
import type { Memory } from './journal/history.ts';
import { type ListApi, type Listing, listingOf, openPeople } from './listing.ts';
import { planInventory, planInvitation, planProperty, planUser } from './match.ts';
import { createResolver, readRoles, referencesIn } from './named.ts';
import { planDeletions, unwanted } from './prune.ts';
import { unresolvedItems } from './row.ts';
import { mapEach } from './workers.ts';

/** The part of the service that planning reads. */
export interface PlanApi extends ListApi {
  readonly dialect: Dialect;
  readonly properties: ListApi['properties'] & Pick<Api['properties'], 'readWithActions'>;
  readonly invitations: Pick<Api['invitations'], 'listAll'>;
  readonly users: Pick<Api['users'], 'listAll' | 'read'>;
  readonly roles: Pick<Api['roles'], 'list'>;
}

/** The options of a plan. */
export interface PlanOptions {
  readonly memory: Memory;
  /** The current or resumed run. */
  readonly runId?: string | undefined;
  /** Whether the service is known to honour idempotency keys. */
  readonly honoursKeys: boolean;
  /** Deletes records that these files created, according to the journal, and that no entry wants. */
  readonly prune: boolean;
  /** Reports what could not be checked. */
  readonly warn: (sentence: string) => Promise<void>;
  /** Masks secrets in texts of the service before they are clipped. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** Whether the command has a time limit: then a timeout ends the plan. */
  readonly hasDeadline?: boolean | undefined;
  /** Parallel reads, from 1. */
  readonly workers: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The shared context of one plan. */
export interface PlanContext {
  readonly api: PlanApi;
  readonly options: PlanOptions;
  readonly readForRow: ReturnType<typeof createReadBreaker>;
}

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
  const context = { api, options, readForRow: createReadBreaker(options.hasDeadline === true) };
  const hotels = await listProperties(entries, api);
  const planEach = async (kinds: readonly Kind[], plan: (entry: Entry) => Promise<Item>) => {
    const own = entries.filter(({ kind }) => kinds.includes(kind));
    return new Map(await mapEach(own, options.workers, async (entry) => [entry, await plan(entry)] as const));
  };
  const properties =
    hotels === undefined
      ? new Map<Entry, Item>()
      : await planEach(['property'], (entry) => planProperty(entry, hotels, context));
  const resolve = createResolver(hotels, properties.values());
  const listings = openPeople(api);
  const roles = await readRoles(entries, api, options.warn);
  const withPeople = { ...context, resolve, listings, roles };
  const people = await planEach(['invitation', 'user'], (entry) =>
    (entry.kind === 'user' ? planUser : planInvitation)(entry, withPeople),
  );
  const unresolved = unresolvedItems([...properties.values()]);
  const inventory = await planInventory(entries, unresolved, { ...context, resolve });
  const itemOf = (entry: Entry) => properties.get(entry) ?? inventory.get(entry) ?? people.get(entry) ?? [];
  const items = await settleCreations(entries.flatMap(itemOf), api, options);
  const named = entries.flatMap((entry) => [...(resolve(entry).ids ?? []), ...(referencesIn(entry) ?? [])]);
  const linked = [...inventory.values()].flatMap(({ links }) => [...(links?.values() ?? [])]);
  const used = new Set([
    ...named,
    ...[...properties.values()].flatMap(({ id }) => id ?? []),
    ...linked.flatMap((link) => ('id' in link ? [link.id] : [])),
  ]);
  // A unit that an entry is about may have been created under another name of its property.
  const kept = new Set([...inventory.values()].map(({ id }) => id));
  return [...items, ...(await planDeletions(leaving, used, kept, withPeople))];
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

async function listProperties(entries: readonly Entry[], api: PlanApi): Promise<Listing | undefined> {
  const isNeeded = entries.some(({ kind }) => kind === 'property');
  if (!isNeeded && !entries.some((entry) => (referencesIn(entry) ?? []).length > 0)) return undefined;
  return listingOf('property', '', api).catch((cause) => unlessForbidden(cause, isNeeded));
}

/** Some tokens may not list properties: then references are not checked here. */
function unlessForbidden(cause: unknown, isNeeded: boolean): undefined {
  if (isNeeded || !(cause instanceof CliError) || cause.exitCode !== ExitCode.forbidden) throw cause;
}
