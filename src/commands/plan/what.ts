import type { FieldChange, Item } from '../../apply/item.ts';
import { unchangeableText } from '../../apply/unchangeable.ts';
import { clip } from '../../render/text.ts';

const LONGEST_VALUE = 80;

/** What is to be done about an item, or why not, in words: one line for each change. */
export function whatLines({ action, changes, unread, cannotChange = [], reason }: Item): readonly string[] {
  return [
    ...changes.map(changeText),
    // The reason of a conflict says it already.
    ...(action === 'conflict' ? [] : cannotChange.map(unchangeableText)),
    ...(unread.length === 0 ? [] : [`not read back: ${unread.join(', ')}`]),
    ...(reason === undefined ? [] : [reason]),
  ];
}

function changeText({ field, from, to, unread }: FieldChange): string {
  const nothing = unread === true ? '(not read back)' : '(not there)';
  return `${field}: ${from === undefined ? nothing : valueText(from)} -> ${valueText(to)}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return clip(value.length === 0 ? 'none' : value.join(', '), LONGEST_VALUE);
  }
  return clip(JSON.stringify(value) ?? 'nothing', LONGEST_VALUE);
}
