import type { FieldChange, Item } from '../../apply/item.ts';
import { unwrittenText } from '../../apply/times.ts';
import { clip } from '../../render/text.ts';

const LONGEST_VALUE = 80;

/** What is to be done about an item, or why not, in words: one line for each change. */
export function whatLines({ action, changes, unread, changedInFile = [], reason }: Item): readonly string[] {
  const isSame = action === 'cannot_compare' && changedInFile.length === 0;
  const same = isSame ? 'same as far as shown; ' : '';
  const open = unread.filter((field) => !changedInFile.some((change) => change.field === field));
  return [
    ...changes.map(changeText),
    ...changedInFile.map(unwrittenText),
    ...(open.length === 0 ? [] : [`${same}not read back: ${open.join(', ')}`]),
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
