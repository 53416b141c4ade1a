import { type Kind, kindText, listed, placeText } from '../files/entry.ts';
import { severalOf } from '../files/kind.ts';
import { foldRanges } from '../model/ranges.ts';
import { groupBy, isRecord } from '../model/records.ts';
import { counted, sameName, shortened } from '../model/text.ts';
import { translationIn } from '../print/cells.ts';
import type { OutlineLine } from '../print/outline.ts';
import type { Tone } from '../print/paint.ts';
import { clip, grouped } from '../print/text.ts';
import { rowsText } from './end.ts';
import {
  type Action,
  accessChangeOf,
  consequencesOf,
  type FieldChange,
  type Item,
  isPending,
  makesAdmin,
  unchangeableText,
} from './item.ts';
import { withoutRolesIn } from './item-json.ts';
import { nameOf } from './listing.ts';

/** The sign of an action at a terminal, and its colour. `!`: it cannot be carried out. */
const signs: Readonly<Record<Action, readonly [sign: string, tone?: Tone]>> = {
  create: ['+', 'good'],
  change: ['~', 'warning'],
  delete: ['-', 'error'],
  same: ['='],
  cannot_change: ['!', 'warning'],
  conflict: ['!', 'error'],
  cannot_tell: ['!', 'error'],
};

/** What became of a row that is done. */
const doneWords: Readonly<Record<Action, string>> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  same: 'unchanged',
  cannot_change: 'not changeable here',
  conflict: 'conflict',
  cannot_tell: 'unknown',
};

/** A row that is done: `+ property HAM: created`; the id where the name does not say it. */
export function doneLine(kind: Kind, name: string, action: Action, id = name): OutlineLine {
  const [sign, tone] = signs[action];
  const also = kind === 'user' || id === name ? '' : ` (id ${id})`;
  return { sign, tone, text: `${kindText(kind)} ${name}: ${doneWords[action]}${also}` };
}

/** What `innctl plan` shows at a terminal: rows and what changes, what is not possible, and why unchanged rows need nothing. */
export function* planOutline(items: readonly Item[]): Generator<OutlineLine> {
  yield* linesOf(items.filter(isPending));
  yield* sharedLines(items.filter((item) => signOf(item) === '!'));
  // Those without a reason are only counted in the sum.
  yield* sharedLines(items.filter((item) => signOf(item) === '=' && item.reason !== undefined));
}

/** Of lines that are alike, all are shown before the question up to this number, else the first ones. */
const MOST_ALIKE = 5;
const SHOWN_ALIKE = 3;

/**
 * What is shown before consent: rows that delete, or change access, all of them; of others that are alike, the first ones.
 *
 * @param more the command that shows all; without it nothing is left out.
 */
export function* consentOutline(items: readonly Item[], more: string | undefined): Generator<OutlineLine> {
  const pending = items.filter(isPending);
  const risky = new Set(Object.values(consequencesOf(pending)).flat());
  yield* [...risky].map(lineOf);
  const plain = pending.filter((item) => !risky.has(item));
  const others = groupBy(plain, (item) => (isSummed(item) ? 'sums' : `${item.action} ${item.kind}`));
  // A warning names the rows that cannot be changed here.
  const held = items.filter((item) => signOf(item) === '!' && item.action !== 'cannot_change');
  for (const lines of [...[...others.values()].map(linesOf), sharedLines(held)]) {
    const isWhole = more === undefined || lines.length <= MOST_ALIKE;
    yield* isWhole ? lines : lines.slice(0, SHOWN_ALIKE);
    if (!isWhole) yield { text: `... and ${grouped(lines.length - SHOWN_ALIKE)} more (${more} shows all)` };
  }
}

/** The sign of a row at a terminal. */
export function signOf(item: Item): string {
  return item.error !== undefined ? '!' : signs[item.action][0];
}

/** A line for each row, and one for all unit groups and units that are created in one property. */
function linesOf(items: readonly Item[]): readonly OutlineLine[] {
  const sums = groupBy(items.filter(isSummed), homeOf);
  const shown = new Set<unknown>();
  return items.flatMap((item) => {
    if (!isSummed(item)) return [lineOf(item)];
    const home = homeOf(item);
    if (shown.has(home)) return [];
    shown.add(home);
    return [sumLine(String(item.body?.['property']), sums.get(home) ?? [])];
  });
}

function homeOf({ body = {} }: Item): string {
  return sameName(String(body['property']));
}

function isSummed({ action, kind, reason }: Item): boolean {
  return action === 'create' && (kind === 'unit_group' || kind === 'unit') && reason === undefined;
}

/** `+ HAM: 3 unit groups, 41 units to create`, with their names below. */
function sumLine(property: string, items: readonly Item[]): OutlineLine {
  const [sign, tone] = signs.create;
  const own = (kind: 'unit_group' | 'unit') =>
    items.flatMap((item) => (item.kind === kind ? (nameOf(kind, item.body ?? {}) ?? []) : []));
  const parts = (['unit_group', 'unit'] as const)
    .map((kind) => ({ kind, names: own(kind) }))
    .filter(({ names }) => names.length > 0);
  const sums = parts.map(({ kind, names }) => counted(names.length, kindText(kind)));
  const below = parts.map(({ kind, names }) => `${severalOf(kind)}: ${listed(foldRanges(names))}`);
  return { sign, tone, text: `${property}: ${sums.join(', ')} to create`, below };
}

/** `+ property HAM: Harbour Hotel, Hamburg, DE`, with several changes below. */
function lineOf(item: Item): OutlineLine {
  const { action, kind, name, entry } = item;
  const sign = signOf(item);
  const place = sign === '!' && entry !== undefined ? ` (${placeText(entry.place)})` : '';
  const title = `${kindText(kind)} ${name}${place}`;
  const what = whatLines(item, whole);
  const tone = sign === '!' ? (signs[action][1] ?? 'warning') : signs[action][1];
  if (action === 'create' && sign === '+')
    return { sign, tone, text: [title, ...creationFacts(item)].join(': '), below: what };
  const [only, second] = what;
  if (only !== undefined && second === undefined) return { sign, tone, text: `${title}: ${only}` };
  return { sign, tone, text: title, below: what };
}

/** What a creation is known by: name, place and status of a property; role and properties of a person. */
function creationFacts({ kind, body = {} }: Item): readonly string[] {
  const { name, location = {}, status, role, roles, properties } = body;
  const texts = (value: unknown) => (Array.isArray(value) ? value : [value]).filter(isText);
  if (kind === 'property') {
    const title = isRecord(name) ? translationIn(name) : name;
    const { city, country_code: country } = isRecord(location) ? location : {};
    return nonEmpty([title, city, country, status].filter(isText).map(shortened).join(', '));
  }
  const given = [...new Set([...texts(role), ...texts(roles)])];
  const where = texts(properties);
  return nonEmpty([given.join(' and '), where.join(', ')].filter((text) => text !== '').join(' at '));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function nonEmpty(text: string): readonly string[] {
  return text === '' ? [] : [text];
}

/** Names of rows with the same reason. */
const MOST_NAMED = 5;

/** Rows of which nothing is sent, together if they are of one kind and have the same reason. */
function sharedLines(items: readonly Item[]): readonly OutlineLine[] {
  const what = (item: Item) => whatLines(item, whole).join('; ');
  const groups = groupBy(items, (item) => JSON.stringify([item.kind, signOf(item), what(item)]));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const line = lineOf(first);
    if (others.length === 0) return [line];
    const rows = [first, ...others];
    const names = listed(
      rows.map(({ name }) => name),
      MOST_NAMED,
    );
    const place = line.sign === '!' ? ` (${rowsText(rows)})` : '';
    const noun = `${grouped(rows.length)} ${severalOf(first.kind)}`;
    return [{ ...line, text: `${noun} ${names}${place}: ${what(first)}`, below: [] }];
  });
}

/** How values are written: in machine formats, and for people. */
interface Wording {
  readonly arrow: string;
  /** Longer values are cut. */
  readonly longest: number;
}

const exact: Wording = { arrow: '->', longest: 80 };
/** A person who consents sees what is sent. */
const whole: Wording = { arrow: '→', longest: 500 };

/** The action or its obstacle in words, one line per change and risk, as machine formats have it. */
export function whatLines(item: Item, wording = exact): readonly string[] {
  const { action, changes, cannotChange = [], reason } = item;
  const roleless = withoutRolesIn(item);
  return [
    ...changes.map((change) => changeText(change, wording)),
    ...(makesAdmin(item) ? ['gives full access'] : []),
    ...lossLines(item),
    ...(roleless.length === 0 ? [] : [`no role at ${roleless.join(', ')}, and will see nothing there`]),
    // The reason of a conflict includes it.
    ...(action === 'conflict' ? [] : cannotChange.map(unchangeableText)),
    ...(reason === undefined ? [] : [reason]),
  ];
}

function changeText({ field, from, to }: FieldChange, { arrow, longest }: Wording): string {
  return `${field}: ${from === undefined ? '(not there)' : valueText(from, longest)} ${arrow} ${valueText(to, longest)}`;
}

function valueText(value: unknown, longest: number): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return clip(value.length === 0 ? 'none' : value.join(', '), longest);
  }
  return clip(JSON.stringify(value) ?? 'nothing', longest);
}

function lossLines(item: Item): readonly string[] {
  const { removed, removedRoles, isOpen } = accessChangeOf(item) ?? nothing;
  const roles = removedRoles.map(({ id, roles: lost }) => `${lost.join(' and ')} at ${id}`).join(', ');
  return [
    ...(isOpen ? ['may take properties away: the service does not show which there are'] : []),
    ...(removed.length === 0 ? [] : [`takes away ${removed.join(', ')}`]),
    ...(roles === '' ? [] : [`removes roles that cannot be restored through the API: ${roles}`]),
  ];
}

const nothing = { removed: [], removedRoles: [], isOpen: false } as const;
