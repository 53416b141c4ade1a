import { ExitCode } from '../cli/exit-codes.ts';
import type { LocalSession } from '../cli/session.ts';
import type { MappedHeader } from '../files/headers.ts';
import { pagesOf } from '../model/records.ts';
import { counted, firstOf } from '../model/text.ts';
import { writeStepSummary } from '../print/github.ts';
import { columnsOf } from '../print/labels.ts';
import type { Column, Facts, Shape } from '../print/output.ts';
import { neutraliseLine } from '../print/text.ts';
import { grouped } from './end.ts';
import {
  accessChangeOf,
  consequencesOf,
  type Item,
  mailsIn,
  titleOfPerson,
  unchangeableText,
} from './item.ts';
import { itemJson, withoutRolesIn } from './item-json.ts';
import type { Target } from './journal/target.ts';
import { planOutline, signOf, whatLines } from './outline.ts';
import { countByAction, planDocument } from './saved-plan.ts';

const MOST_NAMED = 20;

/** A plan in one sentence: `Plan: 2 to create, 1 to change, 3 the same, 1 conflict.` */
export function planSentence(items: readonly Item[]): string {
  const counts = countsIn(items);
  const parts = [
    ...countsText(counts, {
      create: 'to create',
      change: 'to change',
      delete: 'to delete',
      same: 'unchanged',
      cannot_change: 'not changeable here',
    }),
    ...countsText(counts, {
      conflict: counts.conflict === 1 ? 'conflict' : 'conflicts',
      open: 'that cannot be determined now',
    }),
  ];
  return `Plan: ${parts.length === 0 ? 'nothing' : parts.join(', ')}.`;
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

/** Prints a plan (as JSON the input of `apply --plan`) and its summary. */
export async function printPlan(
  items: readonly Item[],
  { target, columns }: { readonly target: Target; readonly columns: readonly MappedHeader[] },
  { context, out }: Pick<LocalSession, 'context' | 'out'>,
): Promise<void> {
  const facts = planDocument(items, target, context.clock.now());
  await printPlanned(items, columns.length === 0 ? facts : { ...facts, columns }, { out });
  const { deletes, disables } = consequencesOf(items);
  const needed = deletes.length + disables.length;
  if (needed > 0) await out.note(`Applying it needs --max-deletes ${needed}.`);
  await warnOfUnchangeable(items, out);
  const { conflict = 0, open } = countsIn(items);
  const held = conflict + open;
  const them = held === 1 ? 'it' : 'them';
  if (held > 0)
    await out.warn(`${held} of ${counted(items.length, 'row')} cannot be done; nothing is sent for ${them}.`);
  await writeStepSummary(summaryOf(items), context, out.warn);
}

/** The sum and what is not possible for GitHub Actions. */
function summaryOf(items: readonly Item[]) {
  const held = items.filter((item) => signOf(item) === '!');
  const count = (sign: string) => items.filter((item) => signOf(item) === sign).length;
  return {
    title: 'innctl plan',
    counts: {
      'to create': count('+'),
      'to change': count('~'),
      'to delete': count('-'),
      'not possible': held.length,
      unchanged: count('='),
    },
    problems: grouped(held.map((item) => ({ item, reason: whatLines(item).join('; ') }))),
  };
}

/** Prints the rows of a plan, its sum and its risks. @param facts of the document besides the rows. */
export async function printPlanned(
  items: readonly Item[],
  facts: Facts,
  { out }: Pick<LocalSession, 'out'>,
): Promise<void> {
  const rows = pagesOf(items, (item) => ({ ...itemJson(item), what: whatLines(item) }));
  await out.records(planShape, rows, facts, planOutline(items));
  for (const line of [planSentence(items), ...consequenceLines(items)]) await out.note(line);
}

/** Warns of users whose roles differ: a plan cannot change them. */
export async function warnOfUnchangeable(
  items: readonly Item[],
  { warn }: Pick<LocalSession['out'], 'warn'>,
): Promise<void> {
  const left = items.filter(({ action }) => action !== 'conflict');
  const lines = left.flatMap(({ name, cannotChange = [] }) =>
    cannotChange.map((change) => `${name}: ${unchangeableText(change)}`),
  );
  if (lines.length === 0) return;
  const named = firstOf(lines, MOST_NAMED).join('\n');
  await warn(`Roles of users are set in the pages of the service:\n${named}`);
}

const MOST_ITEMS = 5;

/** The risks of a plan, one line each: `gives full access: 1 (eva@example.com)`. */
export function consequenceLines(items: readonly Item[]): readonly string[] {
  const { givesFullAccess, takesFullAccess, disables, takesProperties } = consequencesOf(items);
  const roleless = items.filter((item) => withoutRolesIn(item).length > 0);
  return [
    ...lineOf('gives full access', givesFullAccess),
    ...lineOf('takes full access away', takesFullAccess),
    ...lineOf('disables', disables),
    ...lineOf('takes properties away', takesProperties, lossText),
    ...lineOf('without a role', roleless, rolelessText),
    ...lineOf('sends mails', mailsIn(items)),
  ];
}

function lineOf(title: string, items: readonly Item[], textOf = titleOfPerson): readonly string[] {
  if (items.length === 0) return [];
  const named = firstOf(items.map(textOf), MOST_ITEMS).join('; ');
  return [neutraliseLine(`${title}: ${items.length} (${named})`)];
}

/** `ben@example.com: VIE` */
function rolelessText(item: Item): string {
  return `${titleOfPerson(item)}: ${withoutRolesIn(item).join(', ')}`;
}

/** `ben@example.com: BER with FrontDesk, MUC` */
function lossText(item: Item): string {
  const { removed = [], removedRoles = [] } = accessChangeOf(item) ?? {};
  const lost = removed.map((id) => {
    const roles = removedRoles.find((each) => each.id === id)?.roles;
    return roles === undefined ? id : `${id} with ${roles.join(' and ')}`;
  });
  return `${titleOfPerson(item)}: ${lost.join(', ')}`;
}

const tones: Column['tones'] = {
  ...{ create: 'hint', change: 'warning', delete: 'error', conflict: 'error' },
  ...{ 'cannot tell': 'error', 'cannot change': 'warning' },
};

/** How the rows of a plan are listed. */
const planShape: Shape = {
  noun: ['row', 'rows'],
  columns: columnsOf('action kind name what place', [
    { field: 'action', header: 'Action', format: 'words', tones },
    { field: 'what', header: 'What', format: 'sentences' },
  ]),
  id: 'name',
  others: [
    ...['id', 'file', 'line', 'file_row', 'changes', 'patch', 'body'],
    ...['cannot_change', 'reason', 'error.message', 'error.code', 'error.request_id', 'seen'],
    ...['gives_full_access', 'added', 'removed', 'removed_roles', 'without_roles'],
  ],
};
