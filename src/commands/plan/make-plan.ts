import type { Session } from '../../cli/session.ts';
import type { Entry, Kind } from '../../seed/entry.ts';
import type { Item } from '../../seed/item.ts';
import { type Recalled, readMemory } from '../../seed/journal.ts';
import { absoluteFiles, journalPath } from '../../seed/journal-path.ts';
import { buildPlan, refuseIncomplete } from '../../seed/plan.ts';
import { readManifest } from '../../seed/read.ts';
import type { Target } from '../../seed/target.ts';
import { propertyNames } from '../suggest.ts';
import { targetIn } from '../target.ts';
import type { ParsedPlanFlags } from './flags.ts';
import { noteReading, warnOfPrune } from './warnings.ts';

/** The input of a plan. */
export interface Planning {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly target: Target;
  readonly flags: ParsedPlanFlags;
}

/** The checked entries of some files. @param only the only kind that the command accepts. */
export function readEntries(
  { context, api, out }: Session,
  files: readonly string[],
  { prune }: Pick<ParsedPlanFlags, 'prune'>,
  only?: Kind,
): Promise<readonly Entry[]> {
  const { stdin, signal } = context;
  const { dialect } = api;
  const { warn } = out;
  return readManifest(files, {
    ...{ stdin, signal, only, prune, dialect, warn },
    propertyNames: () => propertyNames(api),
  });
}

/**
 * Makes the plan for the entries.
 *
 * @param memory the journals of earlier runs with the same files.
 * @param pause waits for requests of a killed run; given only if the plan will be carried out.
 */
export async function makePlan(
  { session, entries, target, flags }: Planning,
  memory: Recalled,
  pause?: (ms: number) => Promise<void>,
): Promise<readonly Item[]> {
  const { api, context, out } = session;
  await warnOfPrune(flags, memory, target, out);
  await noteReading(entries, session);
  const items = await buildPlan(entries, api, {
    ...flags,
    ...{ memory, pause, runId: flags.runId ?? memory.runId, workers: flags.concurrency },
    ...{ redactor: context.redactor, now: context.clock.now, warn: out.warn },
    hasDeadline: session.settings().timeoutSeconds !== undefined,
  });
  refuseIncomplete(items, api);
  return items;
}

/** The plan of `innctl apply` with the same files, only for display. */
export async function planFiles(session: Session, files: readonly string[], flags: ParsedPlanFlags) {
  const entries = await readEntries(session, files, flags);
  const target = await targetIn(session, flags);
  const run = { command: 'apply', files: absoluteFiles(files), target } as const;
  const memory = await readMemory(journalPath(session.folders.state, run, flags.journal), run);
  const { concurrency, maxRps } = flags;
  session.pace({ concurrency, maxRps });
  const items = await makePlan({ session, entries, target, flags }, memory);
  return { items, target };
}
