import type { Item } from '../../apply/item.ts';
import type { Memory } from '../../apply/memory.ts';
import { buildPlan, refuseIncomplete } from '../../apply/plan.ts';
import { refuseIfChanged } from '../../apply/saved-plan.ts';
import { sameCommand } from '../../render/shell.ts';
import type { AskedRun } from './asked-run.ts';
import { refuseBeyond } from './limits.ts';
import { permitRows } from './permits.ts';

/** What is known of earlier runs, and of the one that is under way. */
type Known = Memory & { readonly runId?: string };

/**
 * What is to be done, within all that the command line and the settings allow.
 *
 * @throws {CliError} when it is more than that, or not what a saved plan says; nothing was sent.
 */
export async function planRun(run: AskedRun, memory: Known): Promise<readonly Item[]> {
  const { session, wishes, entries, target } = run;
  const { context, api } = session;
  const { assumeNew, writeUnreadable, prune, concurrency: workers } = wishes;
  const { runId } = memory;
  const { now, sleep } = context.clock;
  const pause = async (ms: number) => {
    await session.out.note(
      `An invitation of the run before may still be under way; looking again in ${ms / 1000} s.`,
    );
    await sleep(ms, context.signal);
  };
  const options = { memory, runId, assumeNew, writeUnreadable, prune, workers, now, pause };
  const items = await buildPlan(entries, api, options);
  refuseIncomplete(items);
  if (wishes.plan !== undefined) {
    const { stdin, signal } = context;
    const isUnderWay = (item: Item) => wasSentBy(runId, memory, item);
    await refuseIfChanged(wishes.plan, items, target, { stdin, signal, isUnderWay });
  }
  refuseBeyond(items, memory, wishes, (...more) => sameCommand(context.argv, ...more));
  permitRows(items, api.permit);
  return items;
}

function wasSentBy(runId: string | undefined, memory: Memory, { kind, name }: Item): boolean {
  const row = memory.recall(kind, name);
  return row !== undefined && row.runId === runId && row.state !== 'planned';
}
