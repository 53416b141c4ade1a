import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { journalPath } from '../../src/journal/journal.ts';
import {
  type AnswerLine,
  lineText,
  type NewLine,
  type RunCounts,
  type SendLine,
  type StartLine,
  VERSION,
} from '../../src/journal/line.ts';

/** The account of journals that tests write. */
export const aurora = {
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  account: 'account AURORA',
};

/** One request of a run; default: the creation of property BER by a process that is dead, without an answer. */
type Sending = Partial<Omit<SendLine, 'at'>> & {
  readonly at?: string;
  readonly answer?: Partial<Omit<AnswerLine, 'at'>>;
};

export interface WrittenRun extends Partial<Omit<StartLine, 'at'>> {
  readonly at?: string;
  readonly sent?: readonly Sending[];
  /** Default: none, as of a run that was killed. */
  readonly end?: RunCounts;
}

/** Appends a run to the journal of its account. @param folder of settings. @returns the path. */
export function writeRun(folder: string, { at = '2025-03-01T10:00:00Z', sent = [{}], ...run }: WrittenRun) {
  const { end, ...about } = run;
  const start = { run: 'run-1', command: 'apply', files: ['/home/ana/hotels.yaml'], ...aurora, ...about };
  const path = journalPath(join(folder, 'state'), start);
  const lines: NewLine[] = [{ is: 'start', at: Date.parse(at), version: VERSION, ...start }];
  for (const [number, { at: sentAt = at, answer, ...send }] of sent.entries()) {
    const rest = { does: 'create property', by: '1.1.0.dead', kind: 'property', action: 'create' } as const;
    const id = `${start.run}-${number + 1}`;
    const line = { run: start.run, id, ...rest, rows: [{ name: 'BER' }], ...send };
    const when = Date.parse(sentAt);
    lines.push({ is: 'send', at: when, ...line });
    if (answer !== undefined)
      lines.push({ is: 'answer', at: when, run: start.run, of: line.id, outcome: 'done', ...answer });
  }
  if (end !== undefined) lines.push({ is: 'end', at: Date.parse(at), run: start.run, ...end });
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, lines.map((line) => lineText(line, (text) => text)).join(''));
  return path;
}
