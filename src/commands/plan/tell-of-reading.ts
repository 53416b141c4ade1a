import type { Entry } from '../../manifest/entry.ts';
import type { LocalSession } from '../../session.ts';
import { hostsOf } from './hosts.ts';

/** Says to a person at a terminal what the next while is spent on. */
export async function tellOfReading(
  entries: readonly Pick<Entry, 'kind'>[],
  session: Pick<LocalSession, 'context' | 'out' | 'settings'>,
): Promise<void> {
  const { stderr, presentation } = session.context;
  if (!stderr.isTerminal || presentation.json || entries.length === 0) return;
  const hosts = hostsOf(
    entries.map(({ kind }) => kind),
    session,
  );
  const what = entries.length === 1 ? '1 entry' : `${entries.length} entries`;
  await session.out.note(
    `Comparing ${what} with what ${hosts} ${hosts.includes(' and ') ? 'hold' : 'holds'}.`,
  );
}
