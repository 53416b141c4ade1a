import { type Item, isPending } from '../../apply/item.ts';
import { placeText } from '../../manifest/entry.ts';
import { neutraliseLine } from '../../render/text.ts';
import { whatLines } from '../plan/what.ts';

/** A person looks at so many lines before saying yes; the whole plan is printed by `innctl plan`. */
const MOST_LINES = 40;

/** What a plan would send, and what it cannot do, one line each. */
export function outlineOf(items: readonly Item[]): readonly string[] {
  const told = items.filter(
    (item) => isPending(item) || item.action === 'conflict' || item.error !== undefined,
  );
  const lines = told.slice(0, MOST_LINES).map(lineOf);
  const more = told.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more, which a plan shows`] : lines;
}

function lineOf(item: Item): string {
  const { action, kind, name, entry } = item;
  const place = entry === undefined ? '' : ` (${placeText(entry.place)})`;
  const what = whatLines(item).join('; ');
  return neutraliseLine(`  ${action} ${kind} ${name}${place}${what === '' ? '' : `: ${what}`}`);
}
