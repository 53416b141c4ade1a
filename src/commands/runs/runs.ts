import { processOf } from '../../fs/lock.ts';
import { isComplete, type PastRun } from '../../journal/history.ts';
import { type RunCounts, targetText } from '../../journal/line.ts';
import type { Context } from '../../model/ports.ts';
import { onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Column, Shape } from '../../print/output.ts';
import { localCommand } from '../../session/command-line.ts';
import { withLocalSession } from '../../session/session.ts';
import { allRuns, at, entriesOf, type FoundRun, theRun } from '../history/writes.ts';

/** `runs list`: all runs in the journals on this machine, newest first. */
export function listRuns(context: Context) {
  return localCommand('list ls', 'reads', ['runs list', 'runs list --json'])
    .summary('list runs, newest first')
    .description('List the runs in the journals on this machine, newest first.')
    .action(
      withLocalSession(context, async (session) => {
        await session.out.records(runShape, onePage((await allRuns(session)).map(runRecord)));
      }),
    );
}

/** `runs show <run-id>`: the rows of a run, from its journal. */
export function showRun(context: Context) {
  return localCommand('show get', 'reads', ['runs show 1cdd022e', 'runs show 1cdd022e --json'])
    .exitsWith('notFound', 'ambiguous')
    .summary('show what a run did')
    .description('Show the rows that a run sent.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .action(
      withLocalSession(context, async (session, runId) => {
        const found = await theRun(session, runId);
        const facts = runRecord(found);
        const { run_id: id, target, state } = facts;
        const again = state === 'incomplete' ? ': run the same command again to continue' : '';
        await session.out.note(`Run ${id} at ${target} is ${state}${again}. Its journal is ${found.path}.`);
        await session.out.records(rowShape, onePage(rowRecords(found)), facts);
      }),
    );
}

const started: Column = { field: 'started', header: 'Started', format: 'date' };

/** How runs are listed. */
const runShape: Shape = {
  noun: ['run', 'runs'],
  columns: columnsOf('run_id started command target state pid done failed unknown not_attempted', [started]),
  table: [
    { field: 'run_id', header: 'Run', value: shortId },
    { field: 'state', header: 'State', tones: { complete: 'good', incomplete: 'warning' } },
    ...columnsOf('done failed unknown started command target pid run_id', [started]),
  ],
  others: ['profile'],
};

/** Long enough to name a run. A chosen id is shown whole. */
function shortId({ run_id: id }: ServiceRecord): unknown {
  return typeof id === 'string' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id;
}

/** How the rows of a run are listed. */
const rowShape: Shape = {
  noun: ['row', 'rows'],
  columns: columnsOf('kind name action state id at error', [at]),
  id: 'name',
  others: ['hash', 'key', 'request_id'],
};

/** One run as it is listed: `state` is `running`, `complete` or `incomplete`. */
function runRecord({ run, path }: FoundRun): ServiceRecord {
  const { run: id, command, files, identity_url, base_url, account, profile } = run.start;
  const pid = runningIn(run);
  const ended = isComplete(run) || isAnswered(run) ? 'complete' : 'incomplete';
  return withoutHoles({
    run_id: id,
    started: new Date(run.startedAt).toISOString(),
    command,
    target: targetText(run.start),
    state: pid === undefined ? ended : 'running',
    pid,
    ...countsOf(run),
    journal: path,
    ...{ files, identity_url, base_url, account, profile },
  });
}

/** The process that a run is under way in; `undefined` if it has ended, or was killed. */
export function runningIn(run: PastRun): number | undefined {
  const { pid, life } = (run.end === undefined && processOf(run.sent.at(-1)?.by ?? '')) || {};
  return life === 'alive' && !isAnswered(run) ? pid : undefined;
}

/** Whether a run has no end because it is one write, or several that no plan lists, and all are done. */
function isAnswered({ start, end, sent }: PastRun): boolean {
  const isAlone = end === undefined && start.files.length === 0;
  return isAlone && sent.every(({ answer }) => answer?.outcome === 'done');
}

/** How many rows of a run ended in each way; of a run without an end, by what it sent. */
function countsOf({ end, sent }: PastRun): RunCounts {
  const counts = { done: 0, failed: 0, unknown: 0, not_attempted: 0 };
  for (const { answer, rows } of end === undefined ? sent : [])
    counts[answer?.outcome ?? 'unknown'] += rows.length;
  const { done, failed, unknown, not_attempted } = end ?? counts;
  return { done, failed, unknown, not_attempted };
}

/** The rows that a run sent, as they are listed. */
function rowRecords({ run }: FoundRun): readonly ServiceRecord[] {
  return run.sent.flatMap(entriesOf).map((entry) => {
    const { kind, name, action, outcome: state, record_id: id, hash, key, error, request_id } = entry;
    const sent = entry['answered_at'] ?? entry['at'];
    return { ...{ kind, name, action, state, id, hash, key, error, request_id }, at: sent };
  });
}
