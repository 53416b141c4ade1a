import { readWhole } from '../api/whole-list.ts';
import type { Entry } from '../manifest/entry.ts';
import type { Page, ServiceRecord } from '../records.ts';
import type { RowMemory } from './memory.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';

/** People as the service lists them, as far as somebody is looked for. */
export interface People {
  /** Records with an e-mail address, letters in any case. */
  withEmail(email: string): readonly ServiceRecord[];
  /** Why somebody who is not among them may be there all the same, as a clause. */
  readonly doubt: string | undefined;
}

/** The users and the invitations that some entries, or rows of a journal, are about. */
export interface Listings {
  readonly invitations: People;
  /** Only read where somebody may be among them; nobody otherwise. */
  readonly users: People;
}

/** A request that a killed run had under way is carried out by now, or never will be. */
const SETTLED_MS = 15_000;

/** A run waits no longer than this before it sends what it has announced. */
const LONGEST_UNDER_WAY_MS = 20 * 60_000;

const nobody: People = { withEmail: () => [], doubt: undefined };

/**
 * Lists invitations, and users where somebody is not found among the invited.
 *
 * @param entries invitations, and users with an e-mail address.
 * @param alsoInvited further addresses to be found among the invitations.
 */
export async function listPeople(
  entries: readonly Entry[],
  alsoInvited: readonly string[],
  api: Pick<PlanApi, 'invitations' | 'users'>,
  options: Pick<PlanOptions, 'memory' | 'now' | 'pause'>,
): Promise<Listings> {
  const emails = [...entries.map(({ name }) => name), ...alsoInvited];
  if (emails.length === 0) return { invitations: nobody, users: nobody };
  const list = () => gather(api.invitations.listAll(), 'invitations', emails);
  const first = await list();
  const isOpen = ({ kind, name }: Entry) =>
    kind === 'invitation' && first.withEmail(name).length === 0 && mayBeUnderWay(options, name);
  const mustWait = options.pause !== undefined && entries.some(isOpen);
  if (mustWait) await options.pause?.(SETTLED_MS);
  const invitations = mustWait ? await list() : first;
  const others = entries.filter(
    ({ kind, name }) => kind === 'user' || invitations.withEmail(name).length === 0,
  );
  if (others.length === 0) return { invitations, users: nobody };
  const users = await gather(
    api.users.listAll(),
    'users',
    others.map(({ name }) => name),
  );
  return { invitations, users };
}

/** Whether a run that was killed left an invitation that may still be carried out. */
function mayBeUnderWay({ memory, now }: Pick<PlanOptions, 'memory' | 'now'>, email: string): boolean {
  const row = memory.recall('invitation', email);
  return row !== undefined && isAbandoned(row) && Math.abs(now() - row.at) < LONGEST_UNDER_WAY_MS;
}

/** Whether the run ended between announcing a creation and hearing of it. */
export function isAbandoned({ action, state }: RowMemory): boolean {
  return action === 'create' && state === 'sent';
}

/** Keeps the records of those who are looked for, and forgets the others. */
async function gather(
  pages: AsyncIterable<Page>,
  plural: string,
  wanted: readonly string[],
): Promise<People> {
  const found = new Map<string, ServiceRecord[]>(wanted.map((email) => [email.toLowerCase(), []]));
  let nameless = 0;
  const incomplete = await readWhole(pages, plural, (record) => {
    const { email } = record;
    if (typeof email === 'string') found.get(email.trim().toLowerCase())?.push(record);
    else nameless += 1;
  });
  const hiding = nameless > 0 ? `the service lists ${plural} without their e-mail address` : undefined;
  return {
    withEmail: (email) => found.get(email.toLowerCase()) ?? [],
    doubt: incomplete ?? hiding,
  };
}
