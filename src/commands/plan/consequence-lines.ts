import { accessChangeOf, consequencesOf, titleOfPerson } from '../../apply/consequences.ts';
import type { Item } from '../../apply/item.ts';
import { neutraliseLine } from '../../render/text.ts';

const MOST_ITEMS = 5;

/** What a plan gives and takes that should not happen by accident, one line each: `gives full access: 1 (eva@example.com)`. */
export function consequenceLines(items: readonly Item[]): readonly string[] {
  const { givesFullAccess, takesFullAccess, disables, takesProperties } = consequencesOf(items);
  return [
    ...lineOf('gives full access', givesFullAccess),
    ...lineOf('takes full access away', takesFullAccess),
    ...lineOf('disables', disables),
    ...lineOf('takes properties away', takesProperties, lossText),
  ];
}

function lineOf(title: string, items: readonly Item[], textOf = titleOfPerson): readonly string[] {
  if (items.length === 0) return [];
  const named = items.slice(0, MOST_ITEMS).map(textOf).join('; ');
  const more = items.length > MOST_ITEMS ? `; and ${items.length - MOST_ITEMS} more` : '';
  return [neutraliseLine(`${title}: ${items.length} (${named}${more})`)];
}

/** `ben@example.com: BER with FrontDesk, MUC` */
function lossText(item: Item): string {
  const { removed = [], removedRoles = [] } = accessChangeOf(item) ?? {};
  const lost = removed.map((id) => {
    const roles = removedRoles.find((each) => each.id === id)?.roles;
    return roles === undefined ? id : `${id} with ${roles.join(' and ')}`;
  });
  return `${titleOfPerson(item)}: ${lost.length === 0 ? 'not shown which' : lost.join(', ')}`;
}
