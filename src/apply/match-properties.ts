import { quote } from '../checks/text.ts';
import { CliError } from '../errors.ts';
import { bodyOf } from '../manifest/body.ts';
import type { Entry } from '../manifest/entry.ts';
import type { ServiceRecord } from '../records.ts';
import { hashOf } from './canonical.ts';
import { compareProperty, languagesOf, showsLanguagesOf } from './compare.ts';
import type { Item } from './item.ts';
import type { RowMemory } from './memory.ts';
import type { PlanApi, PlanOptions, Tally } from './plan-options.ts';
import { bareCode, codeOf, type Listed, type PropertyIndex, usableId } from './property-index.ts';
import { eachOf } from './workers.ts';

/** What the matching of properties works with. */
export interface Matching {
  readonly api: Pick<PlanApi, 'properties'>;
  readonly index: PropertyIndex;
  readonly options: PlanOptions;
  readonly tally: Tally;
}

/** A service forgets an idempotency key after a day; a clock that went back tells no age. */
const KEY_LIFE_MS = 23 * 60 * 60_000;
const CLOCK_SLACK_MS = 5 * 60_000;

/**
 * Says what is to be done about each property: found by the id that a journal remembers, else by the code that the
 * list shows, else by reading those whose code it does not show.
 *
 * @param alsoWanted further codes to be found, in whatever case.
 */
export async function planProperties(
  entries: readonly Entry[],
  alsoWanted: readonly string[],
  matching: Matching,
): Promise<ReadonlyMap<Entry, Item>> {
  const items = new Map<Entry, Item>();
  await planRemembered(entries, items, matching);
  await revealCodes(entries, alsoWanted, items, matching);
  const others = entries.filter((entry) => !items.has(entry));
  const { index, options, tally } = matching;
  tally.expect(others.filter(({ name }) => index.withCode(name).length > 0).length);
  await eachOf(others, options.workers, async (entry) => {
    items.set(entry, await planByCode(entry, matching));
  });
  for (const [entry, item] of items) {
    const same = index.withCode(entry.name);
    if (same.length > 1) items.set(entry, { ...conflict(entry, several(same)), id: item.id });
  }
  return items;
}

/** Entries of which a journal knows the id. */
async function planRemembered(
  entries: readonly Entry[],
  items: Map<Entry, Item>,
  { api, index, options, tally }: Matching,
): Promise<void> {
  const remembered = entries.flatMap((entry) => {
    const row = options.memory.recall('property', entry.name);
    const id = row && usableId(row.id);
    return row === undefined || id === undefined ? [] : [{ entry, row, id }];
  });
  tally.expect(remembered.length);
  await eachOf(remembered, options.workers, async ({ entry, row, id }) => {
    const record = await readOrMissing(api, id, languagesOf(bodyOf(entry)));
    tally.tick();
    if (record === undefined) {
      if (isOfThisRun(row, options)) items.set(entry, conflict(entry, goneAgain(id)));
      return;
    }
    const code = codeOf(record) ?? entry.name;
    index.learn(id, code);
    const problem = codeProblem(code, entry, `${id}, which a journal remembers, has the code`);
    items.set(
      entry,
      problem === undefined ? matched(entry, id, record, options) : conflict(entry, problem, id),
    );
  });
}

/** Reads properties whose code the list does not show, until all codes that are wanted are found. */
async function revealCodes(
  entries: readonly Entry[],
  alsoWanted: readonly string[],
  items: Map<Entry, Item>,
  { api, index, options, tally }: Matching,
): Promise<void> {
  const open = entries.filter((entry) => !items.has(entry));
  const entryOf = new Map(open.map((entry) => [entry.name.toLowerCase(), entry]));
  const names = [...open.map(({ name }) => name), ...alsoWanted];
  const wanted = new Set(
    names.filter((name) => index.withCode(name).length === 0).map((name) => name.toLowerCase()),
  );
  await eachOf(candidates(index.hidden(), wanted, tally), options.workers, async (id) => {
    const record = await readOrMissing(api, id);
    tally.tick();
    const code = record && codeOf(record);
    if (record === undefined || code === undefined) return;
    index.learn(id, code);
    wanted.delete(bareCode(code).toLowerCase());
    const entry = entryOf.get(bareCode(code).toLowerCase());
    const isTheOne = entry !== undefined && bareCode(code) === bareCode(entry.name);
    if (isTheOne && showsLanguagesOf(bodyOf(entry), record))
      items.set(entry, matched(entry, id, record, options));
  });
}

/** Those first whose id is a code that is wanted: many services make the one of the other. */
function* candidates(ids: readonly string[], wanted: ReadonlySet<string>, tally: Tally): Generator<string> {
  if (wanted.size === 0) return;
  const likely = new Set(ids.filter((id) => wanted.has(id.toLowerCase())));
  tally.expect(likely.size);
  yield* likely;
  const others = ids.filter((id) => !likely.has(id));
  if (wanted.size > 0) tally.expect(others.length);
  for (const id of others) {
    if (wanted.size === 0) return;
    yield id;
  }
}

async function planByCode(entry: Entry, matching: Matching): Promise<Item> {
  const { api, index, options, tally } = matching;
  const found = index.withCode(entry.name);
  const [listed] = found;
  if (listed === undefined) return absent(entry, matching);
  if (found.length > 1) return conflict(entry, several(found));
  const { id, code = entry.name } = listed;
  if (id === undefined) return conflict(entry, 'the service lists it without an id that could be used');
  const problem = codeProblem(code, entry, `${id} has the code`);
  if (problem !== undefined) return conflict(entry, problem, id);
  const record = await readOrMissing(api, id, languagesOf(bodyOf(entry)));
  tally.tick();
  if (record === undefined) return conflict(entry, `the service lists it as ${id}, and has no ${id}`, id);
  const other = codeProblem(
    codeOf(record) ?? code,
    entry,
    `${id} is listed with this code, and has the code`,
  );
  return other === undefined ? matched(entry, id, record, options) : conflict(entry, other, id);
}

/** Nothing that was read is it. */
function absent(entry: Entry, { index, options }: Matching): Item {
  const doubt = index.doubt();
  const create = { ...blank(entry, 'create'), body: bodyOf(entry) };
  if (doubt === undefined) return create;
  if (isSettledByKey(entry, options))
    return { ...create, reason: 'an earlier request may have created it; its key settles that' };
  if (options.assumeNew) return { ...create, reason: `assumed to be new: ${doubt}` };
  return { ...blank(entry, 'cannot_tell'), reason: doubt };
}

/** Whether an earlier creation of the very same is in doubt, and repeating it is safe. */
function isSettledByKey(entry: Entry, { memory, now }: PlanOptions): boolean {
  const row = memory.recall('property', entry.name);
  if (row?.action !== 'create' || (row.state !== 'sent' && row.state !== 'unknown')) return false;
  const age = now() - (row.keySince ?? row.at);
  return age < KEY_LIFE_MS && age >= -CLOCK_SLACK_MS && row.hash === hashOf(bodyOf(entry));
}

function matched(entry: Entry, id: string, record: ServiceRecord, options: PlanOptions): Item {
  const seen = hashOf(record);
  const { changes, steps, unread, conflicts } = compareProperty(
    bodyOf(entry),
    record,
    options.writeUnreadable,
  );
  if (conflicts.length > 0) return { ...conflict(entry, conflicts.join('; '), id), unread, seen };
  const action = steps.length > 0 ? 'change' : unread.length > 0 ? 'cannot_compare' : 'same';
  return { ...blank(entry, action), id, changes, steps, unread, seen };
}

/** @returns `undefined` when there is no such property. */
async function readOrMissing(
  { properties }: Pick<PlanApi, 'properties'>,
  id: string,
  languages: readonly string[] = [],
): Promise<ServiceRecord | undefined> {
  try {
    return await properties.read(id, languages.length === 0 ? undefined : languages);
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return undefined;
    throw cause;
  }
}

function codeProblem(code: string, { name }: Entry, clause: string): string | undefined {
  if (bareCode(code) === bareCode(name)) return undefined;
  const isSameWord = bareCode(code).toLowerCase() === bareCode(name).toLowerCase();
  return isSameWord ? `the service writes it ${quote(code)}` : `${clause} ${quote(code)}`;
}

/** Whether the run that is under way, or resumed, is the one that created it. */
function isOfThisRun({ action, state, runId }: RowMemory, options: PlanOptions): boolean {
  return action === 'create' && state === 'done' && runId === options.runId;
}

function goneAgain(id: string): string {
  return `it was created as ${id} in this run and is gone`;
}

function several(listed: readonly Listed[]): string {
  const ids = listed.slice(0, 5).map(({ id }) => id ?? 'one without an id');
  return `${listed.length} properties have this code: ${ids.join(', ')}${listed.length > 5 ? ', ...' : ''}`;
}

function conflict(entry: Entry, reason: string, id?: string): Item {
  return { ...blank(entry, 'conflict'), reason, id };
}

function blank(entry: Entry, action: Item['action']): Item {
  return { kind: entry.kind, name: entry.name, entry, action, steps: [], changes: [], unread: [] };
}
