import { identityOf, listed, type Place, placeText } from '../files/entry.ts';
import { type InventoryKind, isPerson, type Kind, kinds, kindText } from '../model/kinds.ts';
import { type ServiceRecord, withoutHoles } from '../model/records.ts';
import { counted, inCodeUnits, sameName } from '../model/text.ts';
import type { AccessDocument, Fact } from '../people/access-document.ts';
import { byHolder, EVERY_PROPERTY, placeText as placeOf, propertyLabels } from '../people/facts.ts';
import type { IgnoredLine } from '../people/policy.ts';
import { columnsOf } from '../print/labels.ts';
import type { OutlineLine } from '../print/outline.ts';
import type { Shape } from '../print/output.ts';
import type { FieldChange, Item } from './item.ts';
import { idOf, isArchived, type Listing, nameOf } from './listing.ts';
import { referencesIn } from './named.ts';
import { changeText } from './outline.ts';
import { placeJson } from './saved-plan.ts';

/** One difference between files and service. */
export interface Difference {
  readonly kind: Kind;
  readonly name: string;
  /** `missing`: in the files alone; `unmanaged`: at the service alone. */
  readonly change: 'changed' | 'missing' | 'unmanaged';
  /** `from` is at the service, `to` in the file. */
  readonly fields: readonly FieldChange[];
  /** The same in words. */
  readonly what: readonly string[];
  readonly place?: Place | undefined;
  readonly reason?: string | undefined;
}

/** A record of the service, which is unmanaged if it is in scope and no entry is about it. */
export interface Listed {
  readonly kind: Kind;
  /** As differences show it, and as entries may: `BER/201`, or with the id of the property. */
  readonly names: readonly [string, ...string[]];
  readonly id?: string | undefined;
  readonly isInScope: boolean;
  readonly reason?: string | undefined;
}

/**
 * What differs: what the files name in their order, then what they do not.
 *
 * @param items the plan of the files, all of which could be read.
 * @param isNamed whether an address is named elsewhere.
 */
export function differencesIn(
  items: readonly Item[],
  all: readonly Listed[],
  isNamed: (email: string) => boolean = () => false,
): readonly Difference[] {
  const known = new Set(all.flatMap(({ kind, names }) => names.map((name) => identityOf({ kind, name }))));
  const isMissing = (item: Item) => {
    const { action, id, seen } = item;
    return action === 'create' || (action === 'conflict' && !(id ?? seen) && !known.has(identityOf(item)));
  };
  const open = items.filter(({ action }) => action !== 'same');
  const planned = open.map((item) => (isMissing(item) ? missing(item) : changed(item)));
  return [...planned, ...unmanagedIn(items, all, isNamed)];
}

function missing({ kind, name, entry, reason }: Item): Difference {
  const what = ['is in the file and not at the service', reason].filter(Boolean).join(': ');
  return { kind, name, change: 'missing', fields: [], what: [what], place: entry?.place, reason };
}

function changed({ kind, name, action, changes, cannotChange = [], entry, reason }: Item): Difference {
  const fields = [...changes, ...cannotChange];
  // The reason of a conflict has the fields.
  const texts = (action === 'conflict' ? [] : fields).map((field) => changeText(field, '->'));
  const what = reason === undefined ? texts : [...texts, reason];
  return { kind, name, change: 'changed', fields, what, place: entry?.place, reason };
}

function unmanagedIn(
  items: readonly Item[],
  all: readonly Listed[],
  isNamed: (email: string) => boolean,
): readonly Difference[] {
  const ids = new Set(items.map(({ kind, id }) => `${kind}:${id}`));
  const hasId = ({ kind, id }: Listed) => id !== undefined && ids.has(`${kind}:${id}`);
  // The invitation and the user of an address are one person.
  const keyOf = (kind: Kind, name: string) => identityOf({ kind: isPerson(kind) ? 'user' : kind, name });
  const people = all.filter((each) => isPerson(each.kind) && hasId(each));
  // An entry with an id is about no other record of that name.
  const named = items.filter((item) => item.id === undefined || isPerson(item.kind));
  const keys = new Set([
    ...named.map(({ kind, name }) => keyOf(kind, name)),
    ...people.map(({ kind, names: [name] }) => keyOf(kind, name)),
  ]);
  const isManaged = (each: Listed) =>
    hasId(each) ||
    each.names.some((name) => keys.has(keyOf(each.kind, name)) || (isPerson(each.kind) && isNamed(name)));
  return all
    .filter((each) => each.isInScope && !isManaged(each))
    .sort(
      (one, other) =>
        kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || inCodeUnits(one.names[0], other.names[0]),
    )
    .map(({ kind, names: [name], reason }) => {
      const what = [reason === undefined ? 'is at the service and in no file' : `${reason}, in no file`];
      return { kind, name, change: 'unmanaged', fields: [], what, reason };
    });
}

/** A property, and how it is shown. */
export interface Home {
  readonly id: string;
  readonly label: string;
}

/** The properties that entries are about, or name. */
export function homesIn(items: readonly Item[], isAll: boolean, hotels: Listing): readonly Home[] {
  const named = new Set(
    items
      .flatMap(({ kind, id, name, entry }) => [
        ...(kind === 'property' ? [name, id ?? name] : []),
        ...((entry && referencesIn(entry)) ?? []),
      ])
      .map(sameName),
  );
  return hotels.records().flatMap((record) => {
    const id = idOf('property', record);
    if (id === undefined) return [];
    const label = nameOf('property', record) ?? id;
    return isAll || [id, label].some((name) => named.has(sameName(name))) ? [{ id, label }] : [];
  });
}

/** The records of a list without archived units. @param home their property. */
export function listedOf(
  kind: 'property' | InventoryKind,
  listing: Listing,
  isInScope: boolean,
  home?: Home,
) {
  const current = listing.records().filter((record) => !isArchived(record));
  return current.map((record): Listed => {
    const own = nameOf(kind, record) ?? String(record['id']);
    const names =
      home === undefined ? ([own] as const) : ([`${home.label}/${own}`, `${home.id}/${own}`] as const);
    return { kind, names, id: idOf(kind, record), isInScope };
  });
}

const verbs = {
  active: 'has access to',
  disabled: 'is disabled, and had access to',
  invited: 'is invited to',
  expired: 'was invited to',
} as const;

/** The people of an account. @param homes where to look for people with access; `undefined`: everybody is in scope. */
export function listedPeople({ access, items }: AccessDocument, homes: readonly Home[] | undefined) {
  const labels = propertyLabels(access.properties);
  const ids = new Set([EVERY_PROPERTY, ...(homes ?? []).map(({ id }) => id)]);
  const reaches = ({ property, state }: Fact) =>
    state !== 'disabled' && property !== null && ids.has(property);
  return byHolder(items).map((own): Listed => {
    const [{ source: kind, email, subject_id: id, state }] = own;
    const places = own.map(({ property }) => (property === null ? 'no property' : placeOf(property, labels)));
    const isInScope = homes === undefined || own.some(reaches);
    return { kind, names: [email], id, isInScope, reason: `${verbs[state]} ${listed(places)}` };
  });
}

/** Leaves out what is ignored today. @returns also what is said of lines that ran out or match nothing. */
export function withoutIgnored(all: readonly Difference[], lines: readonly IgnoredLine[], now: number) {
  const today = new Date(now).toISOString().slice(0, 10);
  const keys = new Set(all.map(identityOf));
  const current = new Set(lines.filter(({ until }) => until >= today).map(identityOf));
  const warnings = lines.flatMap(({ kind, name, until, place }) => {
    const what = `${place}: ${kind} ${name}`;
    if (until < today) return [`${what} ran out on ${until}, and ignores nothing.`];
    return keys.has(identityOf({ kind, name })) ? [] : [`${what} matches no difference: remove it.`];
  });
  return { differences: all.filter((each) => !current.has(identityOf(each))), warnings };
}

const signs = { changed: '~', missing: '-', unmanaged: '+' } as const;
const tones = { changed: 'warning', missing: 'error', unmanaged: 'hint' } as const;

/** `~ property BER: name.de: "Grandhotel" -> "Grand Hotel" (hotels/ber.yaml: line 4)` */
export function* driftOutline(all: readonly Difference[]): Generator<OutlineLine> {
  for (const { kind, name, change, what, place } of all) {
    const at = place === undefined ? '' : ` (${placeText(place)})`;
    const [text, below] = what.length > 1 ? ['', what] : [`: ${what[0]}`, []];
    yield { sign: signs[change], tone: tones[change], text: `${kindText(kind)} ${name}${text}${at}`, below };
  }
}

/** A difference as programs read it. */
export function driftRecord({ kind, name, change, fields, what, place, reason }: Difference): ServiceRecord {
  const where = { file: null, line: null, ...placeJson(place) };
  return { kind, name, change, fields, what, ...where, ...withoutHoles({ reason }) };
}

/** How differences are listed; the outcome is `4 records differ, 212 are as the files say.` */
export function driftShape(
  differing: number,
  { same, ignored }: Readonly<Record<'same' | 'ignored', number>>,
): Shape {
  const rest = `${same === 1 ? 'is' : 'are'} as the files say.${ignored === 0 ? '' : ` Ignored: ${ignored}.`}`;
  const differ = `${counted(differing, 'record')} ${differing === 1 ? 'differs' : 'differ'}`;
  return {
    noun: ['difference', 'differences'],
    columns: columnsOf('change kind name what place', [
      { field: 'change', header: 'Change', tones },
      { field: 'what', header: 'What', format: 'sentences' },
    ]),
    id: 'name',
    others: ['fields', 'file', 'line', 'file_row', 'reason'],
    outcome: differing === 0 ? `No drift: ${counted(same, 'record')} ${rest}` : `${differ}, ${same} ${rest}`,
  };
}
