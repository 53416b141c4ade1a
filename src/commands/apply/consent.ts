import type { Session } from '../../cli/session.ts';
import { andList, counted, firstOf } from '../../model/text.ts';
import { neutraliseLine } from '../../out/text.ts';
import { type Consequences, consequencesOf } from '../../seed/consequences.ts';
import { placeText } from '../../seed/entry.ts';
import { type Item, isPending } from '../../seed/item.ts';
import { consequenceLines, planSentence, whatLines } from '../plan/print.ts';
import { hostsOf } from '../plan/warnings.ts';

/** Most lines of a plan that a person reads before saying yes; `innctl plan` prints all of it. */
const MOST_LINES = 40;

/**
 * Shows a plan and asks for a yes; with --yes it only shows what should not happen by accident.
 *
 * @throws {CliError} exit 11 without a yes.
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

/** What a plan would send, and what it cannot do, one line each. */
function outlineOf(items: readonly Item[]): readonly string[] {
  const shown = items.filter(
    (item) => isPending(item) || item.action === 'conflict' || item.error !== undefined,
  );
  return firstOf(shown.map(lineOf), MOST_LINES, (more) => `  and ${more} more, which a plan shows`);
}

function lineOf(item: Item): string {
  const { action, kind, name, entry } = item;
  const place = entry === undefined ? '' : ` (${placeText(entry.place)})`;
  const what = whatLines(item).join('; ');
  return neutraliseLine(`  ${action} ${kind} ${name}${place}${what === '' ? '' : `: ${what}`}`);
}

/** `Apply 3 changes to api.example.com (profile chain), among them 1 deletion?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const found = consequencesOf(pending);
  const harm = harms.flatMap(([name, one, several]) => {
    const { length } = found[name];
    return length === 0 ? [] : [counted(length, one, several)];
  });
  const among = harm.length === 0 ? '' : `, among them ${andList(harm)}`;
  return `Apply ${counted(pending.length, 'change')} to ${placeOf(pending, session)}${among}?`;
}

/** What a person who says yes has to know, in the words of the question. */
const harms: readonly (readonly [keyof Consequences, one: string, several: string])[] = [
  ['deletes', 'deletion', 'deletions'],
  ['disables', 'user to disable', 'users to disable'],
  ['givesFullAccess', 'person to give full access', 'people to give full access'],
  ['takesFullAccess', 'user to take full access from', 'users to take full access from'],
  ['takesProperties', 'user to take properties from', 'users to take properties from'],
];

/** The hosts that will be written to, and the profile that leads there. */
function placeOf(pending: readonly Item[], session: Session): string {
  const { sandbox, profile } = session.settings();
  const kinds = pending.map(({ kind }) => kind);
  const hosts = hostsOf(kinds, session);
  return sandbox || profile === undefined ? hosts : `${hosts} (profile ${profile.value})`;
}
