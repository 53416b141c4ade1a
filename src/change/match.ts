import {
  bodyOf,
  type Entry,
  identityOf,
  listed as inShort,
  keyOf,
  levelIn,
  placeText,
} from '../files/entry.ts';
import { rolesOf, shownProperties } from '../model/access.ts';
import { withOtherLanguages } from '../model/diff.ts';
import { hashOf } from '../model/json-text.ts';
import { type InventoryKind, isInventory, kindText, namesOf, severalOf } from '../model/kinds.ts';
import { groupBy, isRecord, type ServiceRecord, withoutHoles } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { takes } from '../service/dialect.ts';
import {
  compareInventory,
  compareInvitation,
  compareProperty,
  compareUser,
  languagesOf,
  shownInventory,
  showsAll,
  showsUser,
  withTexts,
} from './compare.ts';
import { isRecent, unseenItem } from './creation-rules.ts';
import {
  actionFor,
  changedText,
  changedTimes,
  type FieldChange,
  type Item,
  itemFor,
  linkKey,
  unchangeableText,
} from './item.ts';
import {
  bareCode,
  idOf,
  isArchived,
  type Listing,
  listingOf,
  nameOf,
  once,
  type openPeople,
  orMissing,
  type PlanApi,
  type PlanContext,
  type PlanOptions,
  usableId,
} from './listing.ts';
import {
  type Known,
  type Links,
  linksOf,
  type ResolveReferences,
  type RoleList,
  roleProblems,
} from './named.ts';
import { eachOf } from './workers.ts';

/** What people are planned with. */
export interface PeopleContext {
  readonly api: Pick<PlanApi, 'dialect'>;
  readonly options: Pick<PlanOptions, 'memory'>;
  readonly resolve: ResolveReferences;
  readonly listings: ReturnType<typeof openPeople>;
  readonly roles: RoleList | undefined;
}

/** What inventory is planned with. */
interface Planning extends PlanContext, Known {
  readonly resolve: ResolveReferences;
  /** A unit group with its texts in every language. */
  group(id: string): Promise<ServiceRecord>;
}

/** Plans an entry that cannot be applied. */
function conflict(entry: Entry, reason: string, more: Partial<Item> = {}): Item {
  return itemFor(entry, 'conflict', { entry, reason, ...more });
}

/** Plans a record that was found, by what differs. Only of users what cannot be changed does not keep the rest from it. */
function compared(
  entry: Entry,
  { cannotChange, ...more }: Partial<Item> & { readonly changes: readonly FieldChange[] },
): Item {
  const { id, seen, changes } = more;
  const isFixed = cannotChange !== undefined && cannotChange.length > 0;
  if (isFixed && entry.kind !== 'user')
    return conflict(entry, cannotChange.map(unchangeableText).join('; '), { id, cannotChange, seen });
  return itemFor(entry, actionFor({ changes, cannotChange }), { entry, cannotChange, ...more });
}

/** A record as its list shows it. */
interface Found {
  readonly id: string;
  readonly listed: ServiceRecord;
}

/** The one record with the name of an entry, or the item of an entry that means no certain one; `undefined` if there is none. */
function foundFor(entry: Entry, records: readonly ServiceRecord[]): Found | Item | undefined {
  const { kind } = entry;
  const [listed] = records;
  if (listed === undefined) return undefined;
  if (records.length > 1) return conflict(entry, severalText(entry, records));
  const id = idOf(kind, listed);
  if (id === undefined) {
    const what = kind === 'user' ? 'the user with an unusable subject id' : 'it without a usable id';
    return conflict(entry, `the service lists ${what}`);
  }
  const shown = nameOf(kind, listed) ?? '';
  const isSame = kind === 'user' || bareCode(shown) === bareCode(ownName(entry));
  return isSame ? { id, listed } : conflict(entry, otherCase(shown), { id });
}

function severalText({ kind }: Entry, records: readonly ServiceRecord[]): string {
  const ids = records.map((record) => idOf(kind, record) ?? 'one without an id');
  const named = kind === 'property' ? 'code' : kind === 'user' ? 'address' : 'name';
  const advice = kind === 'user' ? '; name the one by its subject_id' : '';
  return `${records.length} ${severalOf(kind)} have this ${named}: ${inShort(ids)}${advice}`;
}

/** What an entry is found by in the list of its kind. */
function ownName({ kind, name, fields }: Entry): string {
  return isInventory(kind) ? (nameOf(kind, fields) ?? '') : name;
}

function notThere(id: string): string {
  return `the service lists it as ${id}, and has no ${id}`;
}

function otherCase(shown: string): string {
  return `the service writes it ${quote(shown)}: use the same case`;
}

/** Plans a property, which is found by the id in the journal, else by the code in the list. */
export async function planProperty(entry: Entry, listing: Listing, context: PlanContext): Promise<Item> {
  const id = usableId(context.options.memory.recall('property', entry.name)?.id);
  const remembered = id === undefined ? undefined : await planById(entry, id, listing, context);
  const item = remembered ?? (await planByCode(entry, listing, context));
  const same = listing.withName(entry.name);
  return same.length > 1 ? conflict(entry, severalText(entry, same), { id: item.id }) : item;
}

async function planByCode(entry: Entry, listing: Listing, context: PlanContext): Promise<Item> {
  const found = foundFor(entry, listing.withName(entry.name));
  if (found === undefined) return itemFor(entry, 'create', { entry, body: bodyOf(entry) });
  if ('action' in found) return found;
  const { id } = found;
  const item = await planById(entry, id, listing, context);
  return item ?? conflict(entry, notThere(id), { id });
}

/** Plans the property with an id. @returns `undefined` if there is no such property. */
async function planById(
  entry: Entry,
  id: string,
  listing: Listing,
  context: PlanContext,
): Promise<Item | undefined> {
  const { api, options } = context;
  const known = itemFromList(entry, id, listing, context);
  if (known !== undefined) return known;
  const languages = languagesOf(bodyOf(entry), api.dialect);
  const shown = languages.length === 0 ? undefined : languages;
  const record = await orMissing(api.properties.read(id, shown));
  if (record === undefined) return listing.withId(id) && listedAlone(entry, id, options);
  const code = nameOf('property', record) ?? entry.name;
  if (bareCode(code) === bareCode(entry.name)) return comparedProperty(entry, id, record, context);
  const reason = sameName(code) === sameName(entry.name) ? otherCase(code) : undefined;
  return conflict(entry, reason ?? `${id} has the code ${quote(code)}`, { id });
}

/** Plans a recent property that is listed but cannot be read alone yet. */
function listedAlone(entry: Entry, id: string, { memory, now }: PlanOptions): Item | undefined {
  const past = memory.recall('property', entry.name);
  if (past === undefined || !isRecent(past, now())) return undefined;
  const reason = `the service lists it as ${id}, and does not show it alone yet`;
  if (past.creation?.row.hash !== hashOf(bodyOf(entry))) return unseenItem({ ...entry, entry, id }, reason);
  return itemFor(entry, 'same', { entry, id, reason });
}

/** A property that the resumed run created this recently is not read again. */
const RECENT_MS = 24 * 60 * 60_000;

/**
 * The item of a property that needs no action according to the list alone. A difference does not count: a list may show an
 * older state.
 *
 * @returns `undefined` if the property has to be read alone.
 */
function itemFromList(entry: Entry, id: string, listing: Listing, context: PlanContext): Item | undefined {
  const record = listing.withId(id) ?? {};
  if (bareCode(nameOf('property', record) ?? '') !== bareCode(entry.name)) return undefined;
  const body = bodyOf(entry);
  const whole = isOfRun(entry, id, context.options) ? withTexts(body, record) : record;
  if (!showsAll(body, whole)) return undefined;
  const item = comparedProperty(entry, id, whole, context);
  return item.action === 'same' ? item : undefined;
}

/** Whether the resumed run created exactly this recently: then one listed text stands for all languages. */
function isOfRun(entry: Entry, id: string, { memory, runId, now }: PlanOptions): boolean {
  const past = memory.recall('property', entry.name);
  const { creation, isChanged } = past ?? {};
  if (past?.id !== id || creation?.isAnswered !== true || isChanged) return false;
  const isRecent = creation.sent.run === runId && now() - creation.lastAt < RECENT_MS;
  return isRecent && creation.row.hash === hashOf(bodyOf(entry));
}

function comparedProperty(
  entry: Entry,
  id: string,
  record: ServiceRecord,
  { api: { dialect }, options }: PlanContext,
): Item {
  const changed = changedTimes(entry, options.memory.recall('property', entry.name), id);
  const found = compareProperty(
    entry,
    record,
    dialect,
    changed.map(({ field }) => field),
  );
  // A field that is not shown differs from what was sent last.
  const changes = found.changes.map(
    (change) => changed.find(({ field }) => field === change.field) ?? change,
  );
  const kept = changed.filter(({ field }) => dialect.fixedFields.includes(field)).map(changedText);
  const reason = kept.length === 0 ? undefined : `${kept.join(', ')}; it stays as it was created`;
  return compared(entry, { ...found, id, changes, reason, seen: hashOf(record) });
}

const NO_USER = 'there is no such user: invite the person first';

/** Plans the access of a user, who is found by the subject id or the e-mail address. */
export async function planUser(entry: Entry, context: PeopleContext & PlanContext): Promise<Item> {
  const { api, resolve, listings } = context;
  const isNamed = entry.fields['subject_id'] === undefined;
  const found = isNamed
    ? foundFor(entry, await listings.users(entry.name))
    : { id: entry.name, listed: undefined };
  if (found === undefined) {
    const isInvited = (await listings.invitations(entry.name)).length > 0;
    const invited = 'is invited and has no user yet: has to accept the invitation first';
    return conflict(entry, isInvited ? invited : NO_USER);
  }
  if ('action' in found) return found;
  const { id, listed } = found;
  const isShown = listed !== undefined && showsUser(entry, listed);
  const record = isShown ? listed : await orMissing(api.users.read(id));
  if (record === undefined) return conflict(entry, NO_USER);
  const seen = hashOf(record);
  const { ids, problem, idOf } = resolve(entry, shownProperties(record));
  if (problem !== undefined) return conflict(entry, problem, { id, seen });
  const differing = compareUser(entry, record, ids, idOf);
  const before = differing.changes.length > 0 ? record : undefined;
  return compared(entry, { ...differing, id, seen, record: before });
}

/** Plans an invitation. A person who is invited, or is a user, is never invited again. */
export async function planInvitation(entry: Entry, context: PeopleContext): Promise<Item> {
  const { api, resolve, roles } = context;
  const { invitations, users } = context.listings;
  const invited = await invitations(entry.name);
  const access = invited.length > 0 ? [] : await users(entry.name);
  const [user] = access;
  const held = [...invited, ...access].flatMap(shownProperties);
  const { ids, problem } = resolve(entry, held);
  // An existing user is not invited, so the roles need no check.
  const strange = user === undefined ? roleProblems(entry, invited.flatMap(rolesOf), roles) : [];
  const wrong = [problem ?? [], ...strange].flat();
  if (wrong.length > 0) return conflict(entry, wrong.join('; '));
  if (invited.length > 0) {
    const takesRoles = takes(api.dialect, 'createInvitation', 'roles');
    return invitedItem(entry, invited, (record) => compareInvitation(entry, record, ids, takesRoles));
  }
  if (user !== undefined) {
    const known = { id: usableId(user['subject_id']), seen: hashOf(user) };
    const reason = 'already has a user, whose access an invitation does not change (kind: user does)';
    return itemFor(entry, 'same', { entry, reason, ...known });
  }
  const body = { ...bodyOf(entry), ...(ids === undefined ? {} : { properties: ids }) };
  return itemFor(entry, 'create', { entry, body });
}

/** Invitations cannot be changed; one match among several is enough. */
function invitedItem(
  entry: Entry,
  invited: readonly ServiceRecord[],
  compare: (record: ServiceRecord) => readonly string[],
): Item {
  const found = invited.map((record) => ({ seen: hashOf(record), different: compare(record) }));
  const same = found.find(({ different }) => different.length === 0);
  const { seen, different = [] } = same ?? found[0] ?? {};
  if (same !== undefined) return itemFor(entry, 'same', { entry, seen });
  return conflict(entry, `is already invited, and differs in ${different.join(', ')}; withdraw it first`, {
    seen,
  });
}

/**
 * Plans unit attributes, unit groups and units, what an entry is made of before it. They are found by property and code or name;
 * archived units count too.
 *
 * @param unresolved the properties without an id, which the plan creates, by identity.
 */
export async function planInventory(
  entries: readonly Entry[],
  unresolved: ReadonlyMap<string, Item>,
  context: PlanContext & Pick<Planning, 'resolve'>,
): Promise<ReadonlyMap<Entry, Item>> {
  const all = entries.filter(({ kind }) => isInventory(kind));
  // A file may name a property by its id here, and by its code there.
  const homeOf = (entry: Entry) => context.resolve(entry).ids?.[0] ?? String(entry.fields['property']);
  const keyFor = (entry: Entry) => keyOf(entry.kind, homeOf(entry), ownName(entry));
  const first = new Map(all.toReversed().map((entry) => [keyFor(entry), entry]));
  const levelOf = levelIn(all, homeOf);
  const placeOf = placesOf(all, homeOf);
  const planned = new Map<string, Item>();
  const planning = planningFor(planned, unresolved, context);
  const items = new Map<Entry, Item>();
  for (const kind of ['unit_attribute', 'unit_group', 'unit'] as const) {
    const levels = groupBy(
      all.filter((entry) => entry.kind === kind),
      levelOf,
    );
    for (const [level, some] of [...levels].sort(([one], [other]) => one - other))
      await eachOf(some, context.options.workers, async (entry) => {
        const twin = first.get(keyFor(entry)) ?? entry;
        const item = { ...(await planOne(entry, kind, twin, planning)), level, place: placeOf.get(entry) };
        if (twin === entry) planned.set(keyFor(entry), item);
        items.set(entry, item);
      });
  }
  return items;
}

/** Numbers the units of each property, so that the same files make the same requests on every machine. */
function placesOf(entries: readonly Entry[], homeOf: (entry: Entry) => string): ReadonlyMap<Entry, number> {
  const units = entries.filter(({ kind }) => kind === 'unit');
  const homes = [...groupBy(units, (entry) => sameName(homeOf(entry))).values()];
  // A single unit has a request of its own.
  const several = homes.filter((some) => some.length > 1);
  return new Map(several.flatMap((some) => some.map((entry, place) => [entry, place])));
}

function planningFor(
  planned: ReadonlyMap<string, Item>,
  unresolved: ReadonlyMap<string, Item>,
  context: PlanContext & Pick<Planning, 'resolve'>,
): Planning {
  const { api } = context;
  const listing = once((kind: InventoryKind, property: string) => listingOf(kind, property, api));
  const group = once((id: string) => api.unitGroups.readAll(id));
  const isNew = (property: string) => unresolved.has(identityOf({ kind: 'property', name: property }));
  return {
    ...{ ...context, planned, isNew },
    list: async (kind, property) => {
      if (kind === 'unit_attribute') return listing(kind, '');
      return isNew(property) ? undefined : listing(kind, property);
    },
    group,
  };
}

/** @param twin the first entry about the same record. */
async function planOne(entry: Entry, kind: InventoryKind, twin: Entry, planning: Planning): Promise<Item> {
  const { ids: [property = ''] = [], problem } = planning.resolve(entry);
  if (problem !== undefined) return conflict(entry, problem);
  if (twin !== entry) return conflict(entry, `is the same ${kindText(kind)} as at ${placeText(twin.place)}`);
  const listing = await planning.list(kind, property);
  const links = await linksOf(entry, property, planning);
  if (typeof links === 'string') return conflict(entry, links);
  const found = listing?.withName(ownName(entry)) ?? [];
  const active = foundFor(
    entry,
    found.filter((record) => !isArchived(record)),
  );
  if (active !== undefined)
    return 'action' in active ? active : comparedInventory(entry, kind, active, links, planning);
  const ids = found.map(({ id }) => String(id)).join(', ');
  if (found.length > 0) return conflict(entry, `is archived there (${ids}): no unit gets its name again`);
  const inherited = kind === 'unit' ? await inheritedBy(entry, links, property, planning) : {};
  return itemFor(entry, 'create', { entry, body: { ...inherited, ...entry.fields }, links });
}

/** Plans a record that the service lists. */
async function comparedInventory(
  entry: Entry,
  kind: InventoryKind,
  { id, listed }: Found,
  links: Links,
  planning: Planning,
): Promise<Item> {
  const { api } = planning;
  // A list shows texts in one language.
  const texts = ['name', 'description'].filter((field) => isRecord(entry.fields[field]));
  const reading = () => (kind === 'unit' ? api.units.readAll(id) : api.unitGroups.readAll(id));
  const whole = texts.length === 0 ? listed : await orMissing(reading());
  if (whole === undefined) return conflict(entry, notThere(id), { id });
  const record = { ...listed, ...Object.fromEntries(texts.map((field) => [field, whole[field]])) };
  const { body, ...found } = compareInventory(entry, record, links);
  const seen = hashOf(shownInventory(kind, record));
  return compared(entry, { ...found, id, seen, links, body: found.changes.length === 0 ? undefined : body });
}

/** What a new unit has from its group where its entry says nothing: the persons and the description. */
async function inheritedBy(
  { fields }: Entry,
  links: Links,
  property: string,
  { planned, group: read }: Planning,
): Promise<ServiceRecord> {
  const { group } = fields;
  const inherited = namesOf('unit', ({ isInherited }) => isInherited === true);
  if (typeof group !== 'string' || inherited.every((name) => fields[name] !== undefined)) return {};
  const stated = planned.get(keyOf('unit_group', property, group))?.entry?.fields ?? {};
  const link = links.get(linkKey('group', group));
  const id = link !== undefined && 'id' in link ? link.id : undefined;
  const stored = id === undefined ? {} : ((await orMissing(read(id))) ?? {});
  const known: ServiceRecord = { ...stored, ...withOtherLanguages(stored, stated) };
  return withoutHoles(Object.fromEntries(inherited.map((name) => [name, known[name]])));
}
