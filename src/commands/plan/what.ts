import { accessChangeOf, makesAdmin } from '../../apply/consequences.ts';
import type { FieldChange, Item } from '../../apply/item.ts';
import { unwrittenText } from '../../apply/times.ts';
import { unchangeableText } from '../../apply/unchangeable.ts';
import { clip } from '../../render/text.ts';

const LONGEST_VALUE = 80;

/** What is to be done about an item, or why not, in words: one line for each change, and for what it gives and takes. */
export function whatLines(item: Item): readonly string[] {
  const { action, changes, unread, changedInFile = [], cannotChange = [], reason } = item;
  const isSame = action === 'cannot_compare' && changedInFile.length === 0;
  const same = isSame ? 'same as far as shown; ' : '';
  const open = unread.filter((field) => !changedInFile.some((change) => change.field === field));
  return [
    ...changes.map(changeText),
    ...changedInFile.map(unwrittenText),
    ...(makesAdmin(item) ? ['gives full access'] : []),
    ...lossLines(item),
    // The reason of a conflict says it already.
    ...(action === 'conflict' ? [] : cannotChange.map(unchangeableText)),
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

function lossLines(item: Item): readonly string[] {
  const { removed, removedRoles, isOpen } = accessChangeOf(item) ?? nothing;
  const roles = removedRoles.map(({ id, roles: lost }) => `${lost.join(' and ')} at ${id}`).join(', ');
  return [
    ...(isOpen ? ['may take properties away: the service does not show which there are'] : []),
    ...(removed.length === 0 ? [] : [`takes away ${removed.join(', ')}`]),
    ...(roles === '' ? [] : [`takes away roles that cannot be given back through the API: ${roles}`]),
  ];
}

const nothing = { removed: [], removedRoles: [], isOpen: false } as const;
