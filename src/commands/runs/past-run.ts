import { groupBy } from '../../model/records.ts';
import { counted } from '../../model/text.ts';
import type { OutlineLine } from '../../print/outline.ts';
import { kindText, listed } from '../../seed/entry.ts';
import { countsOf, isComplete, type PastRun } from '../../seed/history.ts';
import { isInDoubt, isOfManifests, type RowMemory, type RunLine } from '../../seed/journal-line.ts';
import { severalOf } from '../../seed/kind.ts';
import { type ServiceChoice, serviceLine } from '../lines.ts';
import { doneLine, doneWords } from '../plan/outline.ts';
import { countsText } from '../plan/print.ts';
import { wordsOf } from './found-runs.ts';

/**
 * A past run as a terminal shows it: its failures, rows with the same reason together.
 *
 * @param isVerbose before them a line for each row that is done.
 */
export function* pastOutline(run: PastRun, isVerbose: boolean): Generator<OutlineLine> {
  const rows = [...run.rows.values()];
  const done = rows.filter(({ state }) => isVerbose && state === 'done');
  for (const { kind, name, action, id } of done) yield doneLine(kind, name, action, id);
  const undone = rows.filter((row) => row.state === 'failed' || isInDoubt(row));
  const groups = groupBy(undone, (row) => JSON.stringify([row.kind, isInDoubt(row), reasonOf(row)]));
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const same = [first, ...others];
    const noun = others.length === 0 ? kindText(first.kind) : `${same.length} ${severalOf(first.kind)}`;
    const state = isInDoubt(first) ? 'outcome unknown' : 'failed';
    const names = listed(same.map(({ name }) => name));
    yield { sign: '!', tone: 'error', text: `${noun} ${names}: ${state}: ${reasonOf(first)}` };
  }
  // A journal has only rows that were sent.
  const unsent = countsOf(run).failed - undone.filter(({ state }) => state === 'failed').length;
  if (unsent === 0) return;
  const text = `${counted(unsent, 'row')} failed before a request; ${planLine(run.header)} shows why`;
  yield { sign: '!', tone: 'error', text };
}

/** What a past run did, and how to go on: `Applied: 47 created, 3 failed.` */
export function pastLines(run: PastRun, isRunning: boolean): readonly string[] {
  const rows = [...run.rows.values()].filter(({ state }) => state === 'done');
  const sent = [...groupBy(rows, ({ action }) => doneWords[action])].map(
    ([word, same]) => `${same.length} ${word}`,
  );
  const counts = countsOf(run);
  const left = countsText(counts, { failed: 'failed', unknown: 'unknown', not_attempted: 'not attempted' });
  const unsent = counts.done - rows.length;
  const others = [...left, ...(unsent > 0 ? [`${unsent} unchanged`] : [])];
  const sum = [...(sent.length === 0 ? ['nothing'] : sent), ...others].join(', ');
  const again = serviceLine(serviceOf(run.header), 'runs', 'resume', run.header.id);
  return [`Applied: ${sum}.`, ...(isRunning || isComplete(run) ? [] : [`To continue: ${again}`])];
}

function planLine(header: RunLine): string {
  const isPlanned = isOfManifests(header.command);
  return serviceLine(
    serviceOf(header),
    ...wordsOf(header, isPlanned ? 'plan' : undefined),
    ...(isPlanned ? [] : ['--dry-run']),
  );
}

function serviceOf({ profile }: Pick<RunLine, 'profile'>): ServiceChoice {
  return profile === undefined ? {} : { profile };
}

/** Why a row failed, without the id of its request, which is another one for each row. */
function reasonOf({ error = 'reason unknown', request_id: id }: RowMemory): string {
  return error.replace(` (request id ${id})`, '');
}
