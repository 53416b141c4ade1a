import { type Consequences, consequencesOf } from '../../apply/consequences.ts';
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
  const found = consequencesOf(pending);
  const harm = harms.flatMap(([name, one, several]) => {
    const { length } = found[name];
    return length === 0 ? [] : [counted(length, one, several)];
  });
  const among = harm.length === 0 ? '' : `, among them ${listed(harm)}`;
  return `Apply ${counted(pending.length, 'change', 'changes')} to ${placeOf(pending, session)}${among}?`;
}

/** What somebody who says yes has to know, in the words of the question. */
const harms: readonly (readonly [keyof Consequences, one: string, several: string])[] = [
  ['deletes', 'deletion', 'deletions'],
  ['disables', 'user to disable', 'users to disable'],
  ['givesFullAccess', 'person to give full access', 'people to give full access'],
  ['takesFullAccess', 'user to take full access from', 'users to take full access from'],
  ['takesProperties', 'user to take properties from', 'users to take properties from'],
];

/** The hosts that will be written to, and the profile that leads there. */
function placeOf(pending: readonly Item[], session: Session): string {
  const { sandbox, profile } = session.settings();
  const hosts = hostsOf(
    pending.map(({ kind }) => kind),
    session,
  );
  return sandbox || profile === undefined ? hosts : `${hosts} (profile ${profile.value})`;
}

/** `1 change`, `3 changes` */
export function counted(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}

/** `one`, `one and two`, `one, two and three`. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
