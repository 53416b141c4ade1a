import { type JournalOptions, openJournal } from '../../src/journal/journal.ts';
import type { RunAbout, Target } from '../../src/journal/line.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import type { WriteAbout } from '../../src/service/writes.ts';

/** The run of most tests. */
export const hotels: RunAbout = { command: 'apply', files: ['/home/ana/hotels.yaml'] };

/** The account of most tests. */
export const aurora: Target = {
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  account: 'account AURORA',
};

/** What a run may access, at a time that a test may choose. */
export function contextAt(now: () => number, secrets: readonly string[] = []): JournalOptions['context'] {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return {
    clock: { now, monotonic: now, sleep: async () => {} },
    uuid: () => crypto.randomUUID(),
    redactor,
  };
}

/** The journal of the account in a folder, as one command opens it. */
export function journalIn(state: string, context = contextAt(Date.now)) {
  return openJournal({ state, context, command: 'apply', target: async () => aurora });
}

/** Announces a request about one record; default: the creation of a property. */
export function announceIn(
  { announce }: Pick<ReturnType<typeof openJournal>, 'announce'>,
  name: string,
  { action = 'create', kind = 'property', ...row }: Partial<WriteAbout & { readonly hash: string }> = {},
) {
  // The journal reads nothing else of a request whose subject is given.
  const request = { does: `${action} ${name}`, key: `key of ${name}` } as ServiceRequest;
  return announce(
    request,
    { action, kind, rows: [{ name, ...row }] },
    new AbortController().signal,
    () => {},
  );
}
