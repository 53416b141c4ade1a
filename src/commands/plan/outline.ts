import { groupBy, isRecord } from '../../model/records.ts';
import { shortened } from '../../model/text.ts';
import { translationIn } from '../../out/cells.ts';
import type { OutlineLine } from '../../out/outline.ts';
import type { Tone } from '../../out/paint.ts';
import { clip, grouped } from '../../out/text.ts';
import { listed, placeText } from '../../seed/entry.ts';
import {
  type Action,
  accessChangeOf,
  consequencesOf,
  type FieldChange,
  type Item,
  isChangedInFile,
  isPending,
  makesAdmin,
  unchangeableText,
  unwrittenText,
} from '../../seed/item.ts';
import { entryKinds } from '../../seed/kind.ts';

/** The sign of an action at a terminal, and its colour. `!`: it cannot be carried out. */
export const signs: Readonly<Record<Action, readonly [sign: string, tone?: Tone]>> = {
  create: ['+', 'good'],
  change: ['~', 'warning'],
  delete: ['-', 'error'],
  same: ['='],
  cannot_compare: ['='],
  cannot_change: ['!', 'warning'],
  conflict: ['!', 'error'],
  cannot_tell: ['!', 'error'],
};

/** What became of a row that is done. */
export const doneWords: Readonly<Record<Action, string>> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  same: 'unchanged',
  cannot_compare: 'unchanged as far as the service shows',
  cannot_change: 'not changeable here',
  conflict: 'conflict',
  cannot_tell: 'unknown',
};

/** What `innctl plan` shows at a terminal: a line for each row and what changes; unchanged rows only if there is a reason. */
export function* planOutline(items: readonly Item[]): Generator<OutlineLine> {
  for (const item of items) if (!isUnchanged(item)) yield lineOf(item);
  yield* unchangedLines(items.filter(isUnchanged));
  const unread = new Set(items.flatMap((item) => (item.action === 'change' ? openFields(item) : [])));
  if (unread.size > 0)
    yield { sign: '=', text: `not compared, because they are not shown: ${[...unread].join(', ')}` };
}

/** Of rows that are alike, all are shown before the question up to this number, else the first ones. */
const MOST_ALIKE = 5;
const SHOWN_ALIKE = 3;

/**
 * What is shown before consent: rows that delete, or change access, all of them; of others that are alike, the first ones.
 *
 * @param more the command that shows all; without it nothing is left out.
 */
export function* consentOutline(items: readonly Item[], more: string | undefined): Generator<OutlineLine> {
  const shown = items.filter((item) => isPending(item) || signOf(item) === '!');
  const risky = new Set(Object.values(consequencesOf(shown)).flat());
  yield* [...risky].map(lineOf);
  const others = shown.filter((item) => !risky.has(item) && item.action !== 'cannot_change');
  for (const rows of groupBy(others, (item) => `${signOf(item)} ${item.kind}`).values()) {
    const isWhole = more === undefined || rows.length <= MOST_ALIKE;
    yield* (isWhole ? rows : rows.slice(0, SHOWN_ALIKE)).map(lineOf);
    if (!isWhole) yield { text: `... and ${grouped(rows.length - SHOWN_ALIKE)} more (${more} shows all)` };
  }
}

/** The sign of a row at a terminal. */
export function signOf(item: Item): string {
  const isHeld = item.action === 'cannot_compare' && isChangedInFile(item);
  return item.error !== undefined || isHeld ? '!' : signs[item.action][0];
}

/** Whether nothing is done about a row, and nothing is wrong with it. */
function isUnchanged(item: Item): boolean {
  return signOf(item) === '=';
}

/** `+ property HAM: Harbour Hotel, Hamburg, DE`, with several changes below. */
function lineOf(item: Item): OutlineLine {
  const { action, kind, name, entry } = item;
  const sign = signOf(item);
  const place = sign === '!' && entry !== undefined ? ` (${placeText(entry.place)})` : '';
  const title = `${kind} ${name}${place}`;
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

/** Names of unchanged rows with the same reason. */
const MOST_NAMED = 5;

/** Unchanged rows by their reasons; those without one are only counted in the sum. */
function unchangedLines(items: readonly Item[]): readonly OutlineLine[] {
  const reasons = groupBy(
    items.filter(({ reason }) => reason !== undefined),
    ({ kind, reason }) => JSON.stringify([kind, reason]),
  );
  return [...reasons.values()].flatMap((rows) => {
    const [first, second] = rows;
    if (first === undefined) return [];
    const names = listed(
      rows.map(({ name }) => name),
      MOST_NAMED,
    );
    const noun =
      second === undefined ? first.kind : `${grouped(rows.length)} ${entryKinds[first.kind].several}`;
    return [{ sign: '=', text: `${noun} ${names}: ${first.reason}` }];
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
  const { action, changes, changedInFile = [], cannotChange = [], reason } = item;
  const isSame = action === 'cannot_compare' && changedInFile.length === 0;
  const same = isSame ? 'same as far as shown; ' : '';
  // An outline says it once, below.
  const open = wording === whole ? [] : openFields(item);
  return [
    ...changes.map((change) => changeText(change, wording)),
    ...changedInFile.map(unwrittenText),
    ...(makesAdmin(item) ? ['gives full access'] : []),
    ...lossLines(item),
    // The reason of a conflict includes it.
    ...(action === 'conflict' ? [] : cannotChange.map(unchangeableText)),
    ...(open.length === 0 ? [] : [`${same}not read back: ${open.join(', ')}`]),
    ...(reason === undefined ? [] : [reason]),
  ];
}

/** The fields that the service does not show, and about which nothing else is said. */
function openFields({ unread, changedInFile = [] }: Item): readonly string[] {
  return unread.filter((field) => !changedInFile.some((change) => change.field === field));
}

function changeText({ field, from, to, unread }: FieldChange, { arrow, longest }: Wording): string {
  const nothing = unread === true ? '(not read back)' : '(not there)';
  return `${field}: ${from === undefined ? nothing : valueText(from, longest)} ${arrow} ${valueText(to, longest)}`;
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
