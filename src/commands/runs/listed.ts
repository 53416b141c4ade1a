import { isComplete, type PastRun } from '../../change/journal/history.ts';
import type { RunCounts } from '../../change/journal/line.ts';
import { targetText } from '../../change/journal/target.ts';
import { processOf } from '../../fs/lock.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Column, Shape } from '../../print/output.ts';
import { at, entriesOf, type FoundRun } from '../history/entries.ts';

const started: Column = { field: 'started', header: 'Started', format: 'date' };

/** How runs are listed. */
export const runShape: Shape = {
  noun: ['run', 'runs'],
  columns: columnsOf('run_id started command target state pid done failed unknown not_attempted', [started]),
  table: [
    { field: 'run_id', header: 'Run', value: shortId },
    { field: 'state', header: 'State', tones: { complete: 'good', incomplete: 'warning' } },
    { field: 'done', header: 'Rows', value: rowsInWords },
    ...columnsOf('started command target pid run_id', [started]),
  ],
  essential: 4,
  others: ['profile'],
};

/** Long enough to name a run. A chosen id is shown whole. */
function shortId({ run_id: id }: ServiceRecord): unknown {
  return typeof id === 'string' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id;
}

/** `50 done, 2 failed` */
function rowsInWords(run: ServiceRecord): string | undefined {
  const counts = ['done', 'failed', 'unknown', 'not_attempted'].flatMap((state) =>
    run[state] === 0 || run[state] === undefined ? [] : [`${run[state]} ${state.replace('_', ' ')}`],
  );
  return counts.length === 0 ? undefined : counts.join(', ');
}

/** How the rows of a run are listed. */
export const rowShape: Shape = {
  noun: ['row', 'rows'],
  columns: columnsOf('kind name action state id at error', [at]),
  id: 'name',
  others: ['hash', 'key', 'request_id'],
};

/** One run as it is listed: `state` is `running`, `complete` or `incomplete`. */
export function runRecord({ run, path }: FoundRun): ServiceRecord {
  const { run: id, command, files, identity_url, base_url, account, profile } = run.start;
  const { pid, life } = (run.end === undefined && processOf(run.sent.at(-1)?.by ?? '')) || {};
  const isRunning = life === 'alive' && !isAnswered(run);
  const ended = isComplete(run) || isAnswered(run) ? 'complete' : 'incomplete';
  return withoutHoles({
    run_id: id,
    started: new Date(run.startedAt).toISOString(),
    command,
    target: targetText(run.start),
    state: isRunning ? 'running' : ended,
    pid: isRunning ? pid : undefined,
    ...countsOf(run),
    journal: path,
    ...{ files, identity_url, base_url, account, profile },
  });
}

/** Whether a run has no end because it is one write, or several that no plan lists, and all are done. */
function isAnswered({ start, end, sent }: PastRun): boolean {
  const isAlone = end === undefined && start.files.length === 0;
  return isAlone && sent.every(({ answer }) => answer?.outcome === 'done');
}

/** How many rows of a run ended in each way; of a run without an end, by what it sent. */
function countsOf({ end, sent }: PastRun): RunCounts {
  const counts = { done: 0, failed: 0, unknown: 0, not_attempted: 0 };
  if (end === undefined)
    for (const { answer, rows } of sent) counts[answer?.outcome ?? 'unknown'] += rows.length;
  const { done, failed, unknown, not_attempted } = end ?? counts;
  return { done, failed, unknown, not_attempted };
}

/** The rows that a run sent, as they are listed. */
export function rowRecords({ run }: FoundRun): readonly ServiceRecord[] {
  return run.sent.flatMap(entriesOf).map((entry) => {
    const { kind, name, action, outcome: state, record_id: id, hash, key, error, request_id } = entry;
    const sent = entry['answered_at'] ?? entry['at'];
    return { ...{ kind, name, action, state, id, hash, key, error, request_id }, at: sent };
  });
}
