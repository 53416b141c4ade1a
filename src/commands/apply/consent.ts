import type { Session } from '../../cli/session.ts';
import { andList, counted, firstOf } from '../../model/text.ts';
import { neutraliseLine } from '../../out/text.ts';
import { placeText } from '../../seed/entry.ts';
import { type Consequences, consequencesOf, type Item, isPending } from '../../seed/item.ts';
import { hostsOf } from '../plan/make-plan.ts';
import { consequenceLines, planSentence, whatLines } from '../plan/print.ts';

/** Lines of a plan shown before the question; `innctl plan` prints all of it. */
const MOST_LINES = 40;

/**
 * Shows a plan and asks for consent; with --yes only shows its risks.
 *
 * @throws {CliError} exit 11 if not confirmed.
 */
export async function consentTo(items: readonly Item[], session: Session): Promise<void> {
  const { context, globals, out, confirm } = session;
  const summary = planSentence(items);
  const shown = globals.yes === true ? [] : [...outlineOf(items), summary];
  if (!context.presentation.json) {
    for (const line of [...shown, ...consequenceLines(items)]) await out.note(line);
  }
  await confirm(questionOf(items, session), `${summary} Nothing was sent.`);
}

/** One line for each row that a plan would send or cannot carry out. */
function outlineOf(items: readonly Item[]): readonly string[] {
  const shown = items.filter(
    (item) => isPending(item) || item.action === 'conflict' || item.error !== undefined,
  );
  return firstOf(shown.map(lineOf), MOST_LINES, (more) => `  and ${more} more, see innctl plan`);
}

function lineOf(item: Item): string {
  const { action, kind, name, entry } = item;
  const place = entry === undefined ? '' : ` (${placeText(entry.place)})`;
  const what = whatLines(item).join('; ');
  return neutraliseLine(`  ${action} ${kind} ${name}${place}${what === '' ? '' : `: ${what}`}`);
}

/** `Apply 3 changes to api.example.com (profile chain), including 1 deletion?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const { sandbox, profile } = session.settings();
  const named = sandbox || profile === undefined ? '' : ` (profile ${profile.value})`;
  const place = hostsOf(pending, session);
  const risk = risksText(consequencesOf(pending));
  const among = risk === '' ? '' : `, including ${risk}`;
  return `Apply ${counted(pending.length, 'change')} to ${place}${named}${among}?`;
}

/** The risks of a plan in words: `1 deletion and 2 users to disable`. */
export function risksText(found: Partial<Consequences>): string {
  const parts = risks.map(([name, ...words]) => ({ count: found[name]?.length ?? 0, words }));
  return andList(parts.flatMap(({ count, words }) => (count === 0 ? [] : [counted(count, ...words)])));
}

/** The risks of a plan that the question mentions. */
const risks: readonly (readonly [keyof Consequences, one: string, several: string])[] = [
  ['deletes', 'deletion', 'deletions'],
  ['disables', 'user to disable', 'users to disable'],
  ['givesFullAccess', 'person to give full access', 'people to give full access'],
  ['takesFullAccess', 'user to take full access from', 'users to take full access from'],
  ['takesProperties', 'user to take properties from', 'users to take properties from'],
];
