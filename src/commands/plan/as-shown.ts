import { type Item, isChangedInFile } from '../../apply/item.ts';
import { fixedFields } from '../../checks/property-fields.ts';

/** Fields that --write-unreadable never sends. */
const neverWritten: readonly string[] = [...fixedFields, 'property_roles'];

/** What nothing that is shown differs in, counted: parts of a sentence. */
export function asFarAsShown(items: readonly Item[]): readonly string[] {
  const open = items.filter(({ action }) => action === 'cannot_compare');
  const changed = open.filter(isChangedInFile).length;
  const same = open.filter((item) => !isChangedInFile(item));
  return [
    ...(changed === 0 ? [] : [`${changed} changed in the file, where the service does not show it`]),
    ...(same.length === 0 ? [] : [`${same.length} the same as far as the service shows${why(same)}`]),
  ];
}

/** Which fields are not shown, and what writes them; invitations cannot be written anew. */
function why(items: readonly Item[]): string {
  const [all, writable] = [items, items.filter(({ kind }) => kind !== 'invitation')].map((some) => [
    ...new Set(some.flatMap(({ unread }) => unread)),
  ]);
  if (all === undefined || all.length === 0) return '';
  const shown = `${listed(all)} ${all.length === 1 ? 'is' : 'are'} never shown`;
  const isWritable = all.every((field) => writable?.includes(field) && !neverWritten.includes(field));
  return ` (${shown}${isWritable ? `; --write-unreadable writes ${all.length === 1 ? 'it' : 'them'}` : ''})`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
