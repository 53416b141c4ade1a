import { readWhole } from '../api/whole-list.ts';
import { type Entry, sameName } from '../manifest/entry.ts';
import type { Page, ServiceRecord } from '../records.ts';
import type { RowMemory } from './memory.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';
import { mayShowLater } from './visibility.ts';
import type { WaitOnce } from './wait-once.ts';

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

const nobody: People = { withEmail: () => [], doubt: undefined };

/**
 * Lists invitations, and users where somebody is not found among the invited.
 *
 * @param entries invitations, and users with an e-mail address.
 * @param leaving invitations of a journal that are to be found as well.
 */
export async function listPeople(
  entries: readonly Entry[],
  leaving: readonly RowMemory[],
  api: Pick<PlanApi, 'invitations' | 'users'>,
  { memory, now, waitOnce }: Pick<PlanOptions, 'memory' | 'now'> & { readonly waitOnce: WaitOnce },
): Promise<Listings> {
  const emails = [...entries, ...leaving].map(({ name }) => name);
  if (emails.length === 0) return { invitations: nobody, users: nobody };
  const list = () => gather(api.invitations.listAll(), 'invitations', emails);
  const first = await list();
  const wanted = entries.filter(({ kind }) => kind === 'invitation');
  const known = wanted.flatMap(({ kind, name }) => memory.recall(kind, name) ?? []);
  // No clock tells how long ago a run was killed.
  const recent = [...known, ...leaving].filter((row) => row.state === 'sent' || mayShowLater(row, now()));
  const isHidden = ({ name }: Pick<Entry, 'name'>) => first.withEmail(name).length === 0;
  const invitations = recent.some(isHidden) && (await waitOnce()) ? await list() : first;
  const others = [...entries, ...recent].filter(
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

/** Keeps the records of those who are looked for, and forgets the others. */
async function gather(
  pages: AsyncIterable<Page>,
  plural: string,
  wanted: readonly string[],
): Promise<People> {
  const found = new Map<string, ServiceRecord[]>(wanted.map((email) => [sameName(email), []]));
  let nameless = 0;
  const incomplete = await readWhole(pages, plural, (record) => {
    const { email } = record;
    if (typeof email === 'string') found.get(sameName(email))?.push(record);
    else nameless += 1;
  });
  const hiding = nameless > 0 ? `the service lists ${plural} without their e-mail address` : undefined;
  return {
    withEmail: (email) => found.get(sameName(email)) ?? [],
    doubt: incomplete ?? hiding,
  };
}
