import { listed, placeText } from '../files/entry.ts';
import { ExitCode } from '../model/errors.ts';
import { type Kind, kindText, severalOf } from '../model/kinds.ts';
import { foldRanges } from '../model/ranges.ts';
import { groupBy, isRecord } from '../model/records.ts';
import { counted, firstOf, sameName, shortened } from '../model/text.ts';
import { translationIn } from '../print/cells.ts';
import type { OutlineLine } from '../print/outline.ts';
import type { Tone } from '../print/paint.ts';
import { clip, grouped, neutraliseLine } from '../print/text.ts';
import {
  type Action,
  accessChangeOf,
  consequencesOf,
  countByAction,
  type FieldChange,
  type Item,
  isPending,
  mailsIn,
  makesAdmin,
  titleOfPerson,
  unchangeableText,
  withoutRolesIn,
} from './item.ts';
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
  yield* items.filter((item) => signOf(item) === '!').map(lineOf);
  // Those without a reason are only counted in the sum.
  yield* items.filter((item) => signOf(item) === '=' && item.reason !== undefined).map(lineOf);
}

/** Lines before the question, besides those of risky rows. */
const MOST_LINES = 5;

/**
 * What is shown before consent: rows that delete, or change access, all of them; of others the first ones.
 *
 * @param more the command that shows all; without it nothing is left out.
 */
export function* consentOutline(items: readonly Item[], more: string | undefined): Generator<OutlineLine> {
  const pending = items.filter(isPending);
  const risky = new Set(Object.values(consequencesOf(pending)).flat());
  yield* [...risky].map(lineOf);
  const plain = pending.filter((item) => !risky.has(item));
  // A warning names the rows that cannot be changed here.
  const held = items.filter((item) => signOf(item) === '!' && item.action !== 'cannot_change');
  const lines = [...held.map(lineOf), ...linesOf(plain)];
  const shown = more === undefined ? lines.length : MOST_LINES;
  yield* lines.slice(0, shown);
  if (lines.length > shown)
    yield { text: `... and ${grouped(lines.length - shown)} more (${more} shows all)` };
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
export function lineOf(item: Item): OutlineLine {
  const { action, kind, name, entry } = item;
  const sign = signOf(item);
  const place = sign === '!' && entry !== undefined ? ` (${placeText(entry.place)})` : '';
  const title = `${kindText(kind)} ${name}${place}`;
  const what = whatLines(item, '→');
  const tone = sign === '!' ? (signs[action][1] ?? 'warning') : signs[action][1];
  if (action === 'create' && sign === '+')
    return { sign, tone, text: [title, ...creationFacts(item)].join(': '), below: what };
  const [only, second] = what;
  if (only !== undefined && second === undefined) return { sign, tone, text: `${title}: ${only}` };
  return { sign, tone, text: title, below: what };
}

/** What a creation is known by: the name of a property; role and properties of a person. */
function creationFacts({ kind, body = {} }: Item): readonly string[] {
  const { name, role, roles, properties } = body;
  const texts = (value: unknown) => [value].flat().filter((each) => typeof each === 'string');
  if (kind === 'property') return texts(isRecord(name) ? translationIn(name) : name).map(shortened);
  const given = [...new Set([...texts(role), ...texts(roles)])].join(' and ');
  const all = [given, texts(properties).join(', ')].filter((text) => text !== '');
  return all.length === 0 ? [] : [all.join(' at ')];
}

/** Longer values are cut. */
const LONGEST_VALUE = 500;

/** The action or its obstacle in words, one line per change and risk, as machine formats have it. */
export function whatLines(item: Item, arrow = '->'): readonly string[] {
  const { action, changes, cannotChange = [], reason } = item;
  const roleless = withoutRolesIn(item);
  return [
    ...changes.map((change) => changeText(change, arrow)),
    ...(makesAdmin(item) ? ['gives full access'] : []),
    ...lossLines(item),
    ...(roleless.length === 0 ? [] : [`no role at ${roleless.join(', ')}, and will see nothing there`]),
    // The reason of a conflict includes it.
    ...(action === 'conflict' ? [] : cannotChange.map(unchangeableText)),
    ...(reason === undefined ? [] : [reason]),
  ];
}

/** `name.de: "Grandhotel" -> "Grand Hotel"` */
export function changeText({ field, from, to }: FieldChange, arrow: string): string {
  const before = from === undefined ? '(not there)' : valueText(from);
  return `${field}: ${before} ${arrow} ${valueText(to)}`;
}

/** A value in a line of a plan. */
export function valueText(value: unknown): string {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  const text = isList ? value.join(', ') || 'none' : (JSON.stringify(value) ?? 'nothing');
  return clip(text, LONGEST_VALUE);
}

/** What a row takes away from a user, each as a clause. */
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

/** A plan in one sentence: `Plan: 2 to create, 1 to change, 3 unchanged. 1 of 7 rows cannot be done; nothing is sent for it.` */
export function planSentence(items: readonly Item[]): string {
  const counts = countsIn(items);
  const parts = countsText(counts, {
    create: 'to create',
    change: 'to change',
    delete: 'to delete',
    same: 'unchanged',
    cannot_change: 'not changeable here',
    open: 'that cannot be determined now',
  });
  const { conflict = 0 } = counts;
  const whole = `Plan: ${parts.length === 0 ? 'nothing' : parts.join(', ')}.`;
  if (conflict === 0) return whole;
  const them = conflict === 1 ? 'it' : 'them';
  return `${whole} ${conflict} of ${counted(items.length, 'row')} cannot be done; nothing is sent for ${them}.`;
}

/** The counts that are not zero, in words: `2 to create`. */
export function countsText(
  counts: Readonly<Record<string, number>>,
  words: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(words).flatMap(([name, text]) => {
    const count = counts[name] ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
}

/** The count of each action; unread rows are counted separately. A conflict about what does not exist was read. */
function countsIn(items: readonly Item[]) {
  const isOpen = ({ error, action }: Item) =>
    error !== undefined && (action !== 'conflict' || error.exitCode !== ExitCode.notFound);
  return { ...countByAction(items.filter((item) => !isOpen(item))), open: items.filter(isOpen).length };
}

const MOST_ITEMS = 5;

/** The risks of a plan, one line each: `gives full access: 1 (eva@example.com)`. */
export function consequenceLines(items: readonly Item[]): readonly string[] {
  const { givesFullAccess, takesFullAccess, disables, takesProperties } = consequencesOf(items);
  const roleless = items.filter((item) => withoutRolesIn(item).length > 0);
  return [
    ...riskLine('gives full access', givesFullAccess),
    ...riskLine('takes full access away', takesFullAccess),
    ...riskLine('disables', disables),
    ...riskLine(
      'takes properties away',
      takesProperties,
      (item) => `${titleOfPerson(item)}: ${lossLines(item).join(', ')}`,
    ),
    ...riskLine(
      'without a role',
      roleless,
      (item) => `${titleOfPerson(item)}: ${withoutRolesIn(item).join(', ')}`,
    ),
    ...riskLine('sends mails', mailsIn(items)),
  ];
}

function riskLine(title: string, items: readonly Item[], textOf = titleOfPerson): readonly string[] {
  if (items.length === 0) return [];
  const named = firstOf(items.map(textOf), MOST_ITEMS).join('; ');
  return [neutraliseLine(`${title}: ${items.length} (${named})`)];
}
