import { type Item, isPending } from './item.ts';
import { reduces } from './lockout-rows.ts';

/**
 * What must be there before others need it comes first, what others may need goes last. Who takes away from somebody may
 * rely on a user who is made an account admin by the same plan.
 */
export function phasesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const pending = items.filter(isPending);
  const isProperty = ({ kind }: Item) => kind === 'property';
  const isDeletion = ({ action }: Item) => action === 'delete';
  return [
    pending.filter((item) => isProperty(item) && !isDeletion(item)),
    pending.filter((item) => !isProperty(item) && !isDeletion(item) && !reduces(item)),
    pending.filter(reduces),
    pending.filter((item) => !isProperty(item) && isDeletion(item)),
    pending.filter((item) => isProperty(item) && isDeletion(item)),
  ];
}
