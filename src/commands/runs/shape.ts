import type { FoundRun } from '../../apply/runs.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Shape } from '../../render/output.ts';

/** How runs are listed. */
export const runShape: Shape = {
  noun: ['run', 'runs'],
  columns: [
    { field: 'run_id', header: 'Run' },
    { field: 'started', header: 'Started', format: 'date' },
    { field: 'command', header: 'Command' },
    { field: 'target', header: 'Target' },
    { field: 'state', header: 'State' },
    { field: 'pid', header: 'Process' },
    { field: 'done', header: 'Done' },
    { field: 'failed', header: 'Failed' },
    { field: 'unknown', header: 'Unknown' },
    { field: 'not_attempted', header: 'Not attempted' },
  ],
  others: ['profile'],
};

/** How the rows of a run are listed. */
export const rowShape: Shape = {
  noun: ['row', 'rows'],
  columns: [
    { field: 'kind', header: 'Kind' },
    { field: 'name', header: 'Name' },
    { field: 'action', header: 'Action' },
    { field: 'state', header: 'State' },
    { field: 'id', header: 'ID' },
    { field: 'at', header: 'Last heard of', format: 'date' },
    { field: 'error', header: 'Error' },
  ],
  id: 'name',
  others: ['hash', 'key', 'request_id'],
};

/** One run as it is listed: `state` is `running`, `complete` or `incomplete`. */
export async function runRecord({ run, path, pid }: FoundRun): Promise<ServiceRecord> {
  const { countsOf, isComplete } = await import('../../apply/history.ts');
  const { readTarget, targetText } = await import('../../apply/target.ts');
  const { id, command, files, identity_url, base_url, account, profile } = run.header;
  const ended = isComplete(run) ? 'complete' : 'incomplete';
  return {
    run_id: id,
    started: new Date(run.startedAt).toISOString(),
    command,
    target: targetText(readTarget(run.header)),
    state: pid === undefined ? ended : 'running',
    ...(pid === undefined ? {} : { pid }),
    ...countsOf(run),
    journal: path,
    files,
    identity_url,
    base_url,
    account,
    ...(profile === undefined ? {} : { profile }),
  };
}

/** The rows of one run as they are listed. */
export function rowRecords({ run }: FoundRun): readonly ServiceRecord[] {
  return run.rows.map(({ runId: _, at, ...row }) => ({ ...row, at: new Date(at).toISOString() }));
}
