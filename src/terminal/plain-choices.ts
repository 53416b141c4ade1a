import { quote } from '../checks/text.ts';
import type { Choice } from '../prompter.ts';
import { neutraliseLine } from '../render/text.ts';

/** Entries that are read out at once. */
const MOST_SHOWN = 20;

/** A list whose entries are called by their number, their value, or their label. */
export interface NumberedList {
  /** The entries whose label or value has the text, the first of them if they are many, each on a line of its own. */
  show(part: string, marked?: ReadonlySet<string>): string;
  find(answer: string): Found;
}

/** The value of the entry that an answer means, or what is wrong with it, and the numbers of the entries it is a part of. */
export type Found =
  | { readonly value: string }
  | { readonly problem: string; readonly partOf: readonly number[] };

interface Entry extends Choice {
  /** Counted from 1, the same whatever part of the list is shown. */
  readonly number: number;
}

/** Numbers the choices. Upper and lower case are the same where only one entry can be meant. */
export function numbered(choices: readonly Choice[]): NumberedList {
  const entries = choices.map(({ value, label }, index) => ({
    value,
    label: neutraliseLine(label),
    number: index + 1,
  }));
  return {
    show: (part, marked = new Set()) => shown(matching(entries, part), marked),
    find: (answer) => found(answer.trim(), entries),
  };
}

function matching(entries: readonly Entry[], part: string): readonly Entry[] {
  const wanted = part.trim().toLowerCase();
  return entries.filter((entry) => namesOf(entry).some((name) => name.includes(wanted)));
}

function shown(entries: readonly Entry[], marked: ReadonlySet<string>): string {
  const lines = entries
    .slice(0, MOST_SHOWN)
    .map(({ number, label, value }) => `  ${number}. ${label}${marked.has(value) ? ' (chosen)' : ''}\n`);
  const more = entries.length - lines.length;
  const remark = more === 0 ? '' : `  ... and ${more} more; type a part of a name to see fewer.\n`;
  return `${lines.join('')}${remark}`;
}

/** A number that is also the name of another entry is nobody's guess: `#2` is the number, `=2` the name. */
function found(answer: string, entries: readonly Entry[]): Found {
  const sign = /^[#=](?=\d+$)/.exec(answer)?.[0];
  const word = sign === undefined ? answer : answer.slice(1);
  const byNumber = /^\d+$/.test(word) ? entries[Number(word) - 1] : undefined;
  const byName = entryCalled(word, entries);
  const entry = sign === '#' ? byNumber : (byName ?? (sign === '=' ? undefined : byNumber));
  if (entry === undefined) {
    const partOf = matching(entries, answer).map(({ number }) => number);
    return { problem: `Nothing here is called ${quote(answer)}.`, partOf };
  }
  if (sign !== undefined || byNumber === undefined || byNumber === entry) return { value: entry.value };
  return {
    problem: `${quote(word)} is the number of one entry and the name of another: type #${word} for the number, =${word} for the name.`,
    partOf: [],
  };
}

function entryCalled(word: string, entries: readonly Entry[]): Entry | undefined {
  const exact = entries.find(({ value }) => value === word);
  if (exact !== undefined) return exact;
  const wanted = word.toLowerCase();
  const alike = entries.filter((entry) => namesOf(entry).includes(wanted));
  return alike.length === 1 ? alike[0] : undefined;
}

function namesOf({ value, label }: Entry): readonly string[] {
  return [value.toLowerCase(), label.toLowerCase()];
}
