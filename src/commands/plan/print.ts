import { consequencesOf, deletesIn } from '../../apply/consequences.ts';
import type { Item } from '../../apply/item.ts';
import { itemJson } from '../../apply/item-json.ts';
import { countByAction, planDocument } from '../../apply/saved-plan.ts';
import type { Target } from '../../apply/target.ts';
import { unchangeableText } from '../../apply/unchangeable.ts';
import type { Page } from '../../records.ts';
import type { LocalSession } from '../../session.ts';
import { asFarAsShown } from './as-shown.ts';
import { consequenceLines } from './consequence-lines.ts';
import { planShape } from './shape.ts';
import { whatLines } from './what.ts';

const PAGE = 1_000;
const MOST_NAMED = 20;

type Words = readonly (readonly [Item['action'], one: string, several: string])[];

/** How many of each action there are, as the words of one sentence; the order is that of the sentence. */
const words: Words = [
  ['create', 'to create', 'to create'],
  ['change', 'to change', 'to change'],
  ['delete', 'to delete', 'to delete'],
  ['same', 'the same', 'the same'],
  ['cannot_change', 'not changeable here', 'not changeable here'],
];

/** Those that stand behind what is the same as far as the service shows. */
const openWords: Words = [
  ['conflict', 'conflict', 'conflicts'],
  [
    'cannot_tell',
    'of which nothing tells whether it is there',
    'of which nothing tells whether they are there',
  ],
];

/** A plan in one sentence: `Plan: 2 to create, 1 to change, 3 the same, 1 conflict.` */
export function planSentence(items: readonly Item[]): string {
  const counts = countByAction(items);
  const counted = (some: Words) =>
    some.flatMap(([action, one, several]) => {
      const count = counts[action] ?? 0;
      return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
    });
  const parts = [...counted(words), ...asFarAsShown(items), ...counted(openWords)];
  return `Plan: ${parts.length === 0 ? 'nothing' : parts.join(', ')}.`;
}

/** Prints a plan, which as JSON is what `apply --plan` takes, and says what it comes to. */
export async function printPlan(
  items: readonly Item[],
  target: Target,
  { context, out }: Pick<LocalSession, 'context' | 'out'>,
): Promise<void> {
  await out.records(planShape, pagesOf(items), planDocument(items, target, context.clock.now()));
  for (const line of [planSentence(items), ...consequenceLines(items)]) await out.note(line);
  const deletes = deletesIn(consequencesOf(items));
  if (deletes > 0) await out.note(`Applying it needs --max-deletes ${deletes}.`);
  await warnOfUnchangeable(items, out);
  const { conflict = 0 } = countByAction(items);
  const isOpen = ({ action, error }: Item) => action === 'cannot_tell' && error === undefined;
  if (conflict > 0) await out.warn(`What is in conflict is left as it is: ${conflict} of ${items.length}.`);
  if (items.some(isOpen)) await out.warn('Nothing tells whether some are there: --assume-new creates them.');
}

/** Names the roles of users that differ: a plan leaves them, and everything else is done. */
export async function warnOfUnchangeable(
  items: readonly Item[],
  { warn }: Pick<LocalSession['out'], 'warn'>,
): Promise<void> {
  const left = items.filter(({ action }) => action !== 'conflict');
  const lines = left.flatMap(({ name, cannotChange = [] }) =>
    cannotChange.map((change) => `${name}: ${unchangeableText(change)}`),
  );
  if (lines.length === 0) return;
  const more = lines.length > MOST_NAMED ? [`and ${lines.length - MOST_NAMED} more`] : [];
  const told = [...lines.slice(0, MOST_NAMED), ...more];
  await warn(`Roles of users are given in the service's own pages:\n${told.join('\n')}`);
}

async function* pagesOf(items: readonly Item[]): AsyncGenerator<Page> {
  for (let start = 0; start < items.length || start === 0; start += PAGE) {
    const rows = items
      .slice(start, start + PAGE)
      .map((item) => ({ ...itemJson(item), what: whatLines(item) }));
    yield { items: rows, total: items.length, truncated: false };
  }
}
