import { CliError } from '../cli/errors.ts';
import { hashOf } from '../model/canonical.ts';
import type { ServiceRecord } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { compareProperty, languagesOf, showsAll, showsLanguagesOf, withTexts } from './compare.ts';
import { isRecent, unreadItem, unseenItem } from './creation-rules.ts';
import { bodyOf, type Entry } from './entry.ts';
import { actionFor, changedText, changedTimes, type Item, itemFor, unchangeableText } from './item.ts';
import type { PlanContext, PlanOptions } from './plan-context.ts';
import { bareCode, codeOf, type Listed, orMissing, type PropertyIndex, usableId } from './property-index.ts';
import { eachOf } from './workers.ts';

interface Matching extends PlanContext {
  readonly index: PropertyIndex;
}

/**
 * Plans each property. Finds it by the id in the journal, else by the code in the list, else by reading the properties whose
 * code the list does not show.
 *
 * @param alsoWanted further codes to find, case-insensitive.
 */
export async function planProperties(
  entries: readonly Entry[],
  alsoWanted: readonly string[],
  matching: Matching,
): Promise<ReadonlyMap<Entry, Item>> {
  const { index, options } = matching;
  const { memory, workers } = options;
  const items = new Map<Entry, Item>();
  await eachOf(entries, workers, async (entry) => {
    const id = usableId(memory.recall('property', entry.name)?.id);
    const item = id === undefined ? undefined : await planById(entry, id, matching, true);
    if (item !== undefined) items.set(entry, item);
  });
  await revealCodes(entries, alsoWanted, items, matching);
  const others = entries.filter((entry) => !items.has(entry));
  await eachOf(others, workers, async (entry) => {
    items.set(entry, await planByCode(entry, matching));
  });
  for (const [entry, item] of items) {
    const same = index.withCode(entry.name);
    if (same.length > 1) items.set(entry, { ...conflict(entry, several(same)), id: item.id });
  }
  return items;
}

/**
 * Plans the property with an id.
 *
 * @param isRemembered whether the id is from the journal, and not from the list.
 * @returns `undefined` if there is no such property.
 */
async function planById(
  entry: Entry,
  id: string,
  matching: Matching,
  isRemembered: boolean,
): Promise<Item | undefined> {
  const { api, index, options, readForRow } = matching;
  const known = itemFromList(entry, id, matching);
  if (known !== undefined) return known;
  const languages = languagesOf(bodyOf(entry), api.dialect);
  const shown = languages.length === 0 ? undefined : languages;
  const record = await readForRow(() => orMissing(api.properties.read(id, shown)));
  if (record instanceof CliError) {
    const isListed = index.withCode(entry.name).some((each) => each.id === id);
    return unreadItem(entry, record, options, { entry, id: isListed ? id : undefined });
  }
  if (record === undefined) return index.hasId(id) ? listedAlone(entry, id, options) : undefined;
  const code = codeOf(record) ?? entry.name;
  if (isRemembered) index.learn(id, code);
  const origin = isRemembered ? ', which a journal remembers, has' : ' is listed with this code, and has';
  const problem = codeProblem(code, entry, `${id}${origin} the code`);
  return problem === undefined ? matched(entry, id, record, matching) : conflict(entry, problem, id);
}

/** Reads properties whose code the list does not show, until all wanted codes are found. */
async function revealCodes(
  entries: readonly Entry[],
  alsoWanted: readonly string[],
  items: Map<Entry, Item>,
  matching: Matching,
): Promise<void> {
  const { api, index, readForRow, options } = matching;
  const open = entries.filter((entry) => !items.has(entry));
  const entryOf = new Map(open.map((entry) => [sameName(entry.name), entry]));
  const names = [...open.map(({ name }) => name), ...alsoWanted];
  const wanted = new Set(names.filter((name) => index.withCode(name).length === 0).map(sameName));
  await eachOf(candidates(index.hidden(), wanted), options.workers, async (id) => {
    const record = await readForRow(() => orMissing(api.properties.read(id)));
    if (record instanceof CliError) return index.failed(id, record);
    const code = record && codeOf(record);
    if (record === undefined || code === undefined) return;
    index.learn(id, code);
    wanted.delete(sameName(code));
    const entry = entryOf.get(sameName(code));
    const isTheOne = entry !== undefined && bareCode(code) === bareCode(entry.name);
    if (isTheOne && showsLanguagesOf(bodyOf(entry), record))
      items.set(entry, matched(entry, id, record, matching));
  });
}

/** The ids, those that equal a wanted code first: many services derive the id from the code. */
function* candidates(ids: readonly string[], wanted: ReadonlySet<string>): Generator<string> {
  if (wanted.size === 0) return;
  const likely = new Set(ids.filter((id) => wanted.has(sameName(id))));
  yield* likely;
  for (const id of ids) {
    if (wanted.size === 0) return;
    if (!likely.has(id)) yield id;
  }
}

async function planByCode(entry: Entry, matching: Matching): Promise<Item> {
  const found = matching.index.withCode(entry.name);
  const [first] = found;
  if (first === undefined) return absent(entry, matching);
  if (found.length > 1) return conflict(entry, several(found));
  const { id, code = entry.name } = first;
  if (id === undefined) return conflict(entry, 'the service lists it without a usable id');
  const problem = codeProblem(code, entry, `${id} has the code`);
  if (problem !== undefined) return conflict(entry, problem, id);
  const item = await planById(entry, id, matching, false);
  return item ?? conflict(entry, `the service lists it as ${id}, and has no ${id}`, id);
}

/** Plans a property that was not found. */
function absent(entry: Entry, { index, options }: Matching): Item {
  const unread = index.unread();
  if (unread !== undefined) return unreadItem(entry, unread, options, { entry });
  const doubt = index.doubt();
  const create = itemFor(entry, 'create', { entry, body: bodyOf(entry) });
  if (doubt === undefined) return create;
  if (options.assumeNew) return { ...create, reason: `assumed to be new: ${doubt}` };
  return itemFor(entry, 'cannot_tell', { entry, reason: doubt });
}

/** Plans a recent property that is listed but cannot be read alone yet. */
function listedAlone(entry: Entry, id: string, { memory, now }: PlanOptions): Item | undefined {
  const past = memory.recall('property', entry.name);
  if (past === undefined || !isRecent(past, now())) return undefined;
  const reason = `the service lists it as ${id}, and does not show it alone yet`;
  if (past.creation?.row.hash !== hashOf(bodyOf(entry))) return unseenItem({ ...entry, entry, id }, reason);
  return itemFor(entry, 'cannot_compare', { entry, id, reason });
}

function codeProblem(code: string, { name }: Entry, clause: string): string | undefined {
  if (bareCode(code) === bareCode(name)) return undefined;
  return sameName(code) === sameName(name)
    ? `the service writes it ${quote(code)}: use the same case`
    : `${clause} ${quote(code)}`;
}

function several(listed: readonly Listed[]): string {
  const ids = listed.slice(0, 5).map(({ id }) => id ?? 'one without an id');
  return `${listed.length} properties have this code: ${ids.join(', ')}${listed.length > 5 ? ', ...' : ''}`;
}

/** A property that the resumed run created this recently is not read again. */
const RECENT_MS = 24 * 60 * 60_000;

/**
 * The item of a property that needs no action according to the list alone. A difference does not count: a list may show an
 * older state.
 *
 * @returns `undefined` if the property has to be read alone.
 */
function itemFromList(entry: Entry, id: string, { index, ...context }: Matching): Item | undefined {
  const record = index.recordOf(id);
  if (record === undefined || bareCode(codeOf(record) ?? '') !== bareCode(entry.name)) return undefined;
  const body = bodyOf(entry);
  const whole = withTexts(body, record, languagesBelieved(entry, id, context.options));
  if (!showsAll(body, whole)) return undefined;
  const item = matched(entry, id, whole, context);
  return item.action === 'same' || item.action === 'cannot_compare' ? item : undefined;
}

/**
 * For how many languages one listed text stands: for a single one if the journal created exactly this, for all of them if the
 * resumed run did so recently.
 */
function languagesBelieved(entry: Entry, id: string, { memory, runId, now }: PlanOptions): number {
  const past = memory.recall('property', entry.name);
  const { creation, isChanged } = past ?? {};
  if (past?.id !== id || creation?.isAnswered !== true || isChanged) return 0;
  if (creation.row.hash !== hashOf(bodyOf(entry))) return 0;
  const isRecentRun = creation.sent.run === runId && now() - creation.lastAt < RECENT_MS;
  return isRecentRun ? Number.POSITIVE_INFINITY : 1;
}

/** Plans a property that was found. */
function matched(entry: Entry, id: string, record: ServiceRecord, { api, options }: PlanContext): Item {
  const seen = hashOf(record);
  const { dialect } = api;
  const changed = changedTimes(entry, options.memory.recall('property', entry.name), id);
  const resent = changed.map(({ field }) => field);
  const compared = compareProperty(entry, record, dialect, resent);
  const { steps, unread, conflicts } = compared;
  // A field that is not shown differs from what was sent last.
  const changes = compared.changes.map(
    (change) => changed.find(({ field }) => field === change.field) ?? change,
  );
  if (conflicts.length > 0) {
    const reason = conflicts.map(unchangeableText).join('; ');
    return { ...conflict(entry, reason, id), cannotChange: conflicts, unread, seen };
  }
  const action = actionFor({ changes, unread });
  const kept = changed.filter(({ field }) => dialect.fixedFields.includes(field)).map(changedText);
  const reason = kept.length === 0 ? undefined : `${kept.join(', ')}; it stays as it was created`;
  return itemFor(entry, action, { entry, id, changes, steps, unread, reason, seen });
}

/** Plans a property that cannot be made to match its entry. */
function conflict(entry: Entry, reason: string, id?: string): Item {
  return itemFor(entry, 'conflict', { entry, reason, id });
}
