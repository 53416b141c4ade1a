import type { FieldChange, Item } from '../../apply/item.ts';
import { clip } from '../../render/text.ts';

const LONGEST_VALUE = 80;

/** What is to be done about an item, or why not, in words on one line. */
export function whatText({ changes, unread, reason }: Item): string {
  const parts = [
    ...changes.map(changeText),
    ...(unread.length === 0 ? [] : [`not read back: ${unread.join(', ')}`]),
    ...(reason === undefined ? [] : [reason]),
  ];
  return parts.join('; ');
}

function changeText({ field, from, to }: FieldChange): string {
  const before = from === undefined ? '(not there)' : valueText(from);
  return `${field}: ${before} -> ${valueText(to)}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return clip(value.length === 0 ? 'none' : value.join(', '), LONGEST_VALUE);
  }
  return clip(JSON.stringify(value) ?? 'nothing', LONGEST_VALUE);
}
