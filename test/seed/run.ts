import { createRedactor } from '../../src/print/redaction.ts';
import type { JournalOptions, NewRow, NewRun } from '../../src/seed/journal.ts';

/** The run of most tests. */
export const hotels: NewRun = {
  command: 'apply',
  files: ['/home/ana/hotels.yaml'],
  target: {
    identity_url: 'https://identity.example.com',
    base_url: 'https://api.example.com',
    account: 'account AURORA',
  },
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

/** A row as a run writes it; default: the creation of a property. */
export function rowOf(name: string, more: Partial<NewRow> = {}): NewRow {
  return { kind: 'property', name, action: 'create', state: 'sent', hash: `hash of ${name}`, ...more };
}
