import type { Sink } from '../../src/model/ports.ts';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { createOutput, type OutputOptions, type View } from '../../src/print/create-output.ts';
import type { Format, Shape } from '../../src/print/output.ts';

/** The default view: all fields, unfiltered. */
const wholeView: View = {
  fields: undefined,
  query: undefined,
  raw: false,
  headers: true,
  quiet: false,
};

/** The 20th of November 2026, noon. */
export const NOON = Date.UTC(2026, 10, 20, 12);

export const properties: Shape = {
  noun: ['property', 'properties'],
  columns: [
    { field: 'id', header: 'ID' },
    { field: 'name', header: 'Name', format: 'language' },
    { field: 'location.city', header: 'City' },
    { field: 'is_archived', header: 'Archived' },
    { field: 'created', header: 'Created', format: 'date' },
  ],
};

export const berlin: ServiceRecord = {
  id: 'BER',
  name: { de: 'Grandhotel', en: 'Grand Hotel' },
  location: { city: 'Berlin' },
  is_archived: false,
  created: '2026-10-11T09:00:00Z',
};

export const munich: ServiceRecord = { id: 'MUC', name: 'Alpenhof', is_archived: true };

/** Two pages with one hotel each. */
export async function* twoPages(last: Partial<Page> = {}): AsyncIterable<Page> {
  yield { items: [berlin], total: 2, truncated: false };
  yield { items: [munich], total: 2, truncated: false, ...last };
}

/** One page. */
export async function* onePage(
  items: readonly ServiceRecord[],
  page: Partial<Page> = {},
): AsyncIterable<Page> {
  yield { items, total: items.length, truncated: false, ...page };
}

interface Situation extends Partial<Omit<OutputOptions, 'stdout' | 'stderr' | 'format' | 'view'>> {
  readonly format?: Format;
  /** The view of the results; by default everything. */
  readonly view?: Partial<View>;
  /** Whether both streams are a terminal; by default pipes. */
  readonly terminal?: boolean;
  readonly columns?: number;
  /** Replaces the recording write of stdout. */
  readonly write?: Sink['write'];
}

/** An output with two sinks that record every write. */
export function desk({ terminal = false, columns = 80, format, write, view, ...options }: Situation = {}) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const sink = (writes: string[]): Sink => ({
    isTerminal: terminal,
    columns,
    rows: 24,
    write: async (text) => {
      writes.push(text);
    },
  });
  const out = createOutput({
    stdout: write === undefined ? sink(stdout) : { ...sink(stdout), write },
    stderr: sink(stderr),
    format,
    view: { ...wholeView, ...view },
    isKnownField: () => false,
    colour: { stdout: false, stderr: false },
    plain: false,
    now: () => NOON,
    clean: (text) => text,
    ...options,
  });
  return {
    out,
    /** Every write to stdout, in order. */
    writes: stdout,
    shown: () => ({ stdout: stdout.join(''), stderr: stderr.join('') }),
  };
}
