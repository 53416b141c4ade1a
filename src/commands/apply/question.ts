import { type Item, isPending } from '../../apply/item.ts';
import type { Session } from '../../session.ts';
import { hostsOf } from '../plan/hosts.ts';

/**
 * Returns when the person consents to a plan, or --yes did.
 *
 * @param summary of the plan, as a sentence.
 * @throws {CliError} exit 11 otherwise.
 */
export async function consentTo(items: readonly Item[], summary: string, session: Session): Promise<void> {
  await session.confirm(questionOf(items, session), `${summary} Nothing was sent.`);
}

/** `Apply 3 changes to api.example.com (profile chain), among them 1 deletion?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const deletions = pending.filter(({ action }) => action === 'delete').length;
  const keptOut = pending.filter((item) => sets(item, '/enabled', false)).length;
  const admins = pending.filter((item) => sets(item, '/is_account_admin', true)).length;
  const harm = [
    ...(deletions === 0 ? [] : [counted(deletions, 'deletion', 'deletions')]),
    ...(keptOut === 0 ? [] : [counted(keptOut, 'user who is kept out', 'users who are kept out')]),
    ...(admins === 0 ? [] : [counted(admins, 'user made account admin', 'users made account admins')]),
  ];
  const among = harm.length === 0 ? '' : `, among them ${listed(harm)}`;
  return `Apply ${counted(pending.length, 'change', 'changes')} to ${placeOf(pending, session)}${among}?`;
}

/** Whether an item sets a field of a user so. */
function sets({ kind, steps }: Item, path: string, value: boolean): boolean {
  return (
    kind === 'user' && steps.some((step) => step.path === path && 'value' in step && step.value === value)
  );
}

/** The hosts that will be written to, and the profile that leads there. */
function placeOf(pending: readonly Item[], session: Session): string {
  const { sandbox, profile } = session.settings();
  const hosts = hostsOf(
    pending.map(({ kind }) => kind),
    session,
  );
  return sandbox || profile === undefined ? hosts : `${hosts} (profile ${profile.value})`;
}

function counted(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}

/** `one`, `one and two`, `one, two and three`. */
function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
