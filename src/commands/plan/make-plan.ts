import { hostsOf } from '../../change/consent.ts';
import type { ParsedPlanFlags } from '../../change/flags.ts';
import { type Item, isPending } from '../../change/item.ts';
import { type Memory, type Recalled, recalledFor } from '../../change/journal/history.ts';
import type { RunAbout } from '../../change/journal/line.ts';
import { type Target, targetText } from '../../change/journal/target.ts';
import { warnOfLockout } from '../../change/lockout.ts';
import { buildPlan, refuseIncomplete } from '../../change/plan.ts';
import { printPlan } from '../../change/print.ts';
import { propertyNames } from '../../change/suggest.ts';
import { targetIn } from '../../change/target.ts';
import type { Session } from '../../cli/session.ts';
import type { Entry } from '../../files/entry.ts';
import { absoluteFiles } from '../../files/files.ts';
import { Headers, type MappedHeader } from '../../files/headers.ts';
import { readManifest, skippedText } from '../../files/read.ts';
import { counted, quote } from '../../model/text.ts';
import { neutraliseLine } from '../../print/text.ts';

/** The input of a plan. */
export interface Planning extends RunAbout {
  readonly target: Target;
  readonly session: Session;
  readonly entries: readonly Entry[];
  /** How the headers of tables were read that are no names of columns. */
  readonly columns: readonly MappedHeader[];
  readonly flags: ParsedPlanFlags;
}

/**
 * Makes the plan for the entries.
 *
 * @param memory what the journal knows.
 */
export async function makePlan(planning: Planning, memory: Recalled): Promise<readonly Item[]> {
  const { session, entries, flags } = planning;
  const { api, context, out } = session;
  await warnOfPrune(planning, memory);
  await noteReading(planning);
  const items = await buildPlan(entries, api, {
    ...flags,
    ...{ memory, runId: flags.runId ?? memory.runId, workers: flags.concurrency },
    honoursKeys: api.trustsKeys,
    ...{ redactor: context.redactor, now: context.clock.now, warn: out.warn },
    hasDeadline: session.settings().timeout !== undefined,
  });
  refuseIncomplete(items, api);
  return items;
}

/**
 * Shows the plan of `innctl apply` with the same files.
 *
 * @returns whether there is something to do about some rows.
 */
export async function planFiles(
  session: Session,
  files: readonly string[],
  flags: ParsedPlanFlags,
): Promise<boolean> {
  const { entries, columns } = await readEntries(session, files, flags);
  const target = await targetIn(session, flags);
  const identity = { command: 'apply', files: absoluteFiles(files), target } as const;
  const run = { session, entries, columns, flags, ...identity };
  const memory = recalledFor(await session.journal.read(), run);
  await session.pace(flags);
  const items = await makePlan(run, memory);
  await printPlan(items, run, session);
  await warnOfLockout(items, session);
  return items.some(isPending);
}

/**
 * Reads and checks the entries of some files.
 *
 * @throws {CliError} exit 2 with all that is wrong.
 */
export async function readEntries(
  { api, context, globals, out }: Session,
  files: readonly string[],
  { prune, hidden, map = [] }: ParsedPlanFlags,
) {
  const headers = new Headers(map);
  const { argv, stdin, signal } = context;
  const { entries, skipped } = await readManifest(files, {
    ...{ argv, stdin, signal, prune, hidden, headers, dialect: api.dialect, warn: out.warn },
    propertyNames: () => propertyNames(api),
  });
  const isHeard = context.stderr.isTerminal && !context.presentation.json;
  if (skipped.length > 0 && (isHeard || globals.debug === true))
    await out.note(`Skipped: ${skippedText(skipped)}.`);
  const { mapped } = headers;
  if (mapped.length > 0) await out.note(columnsLine(mapped));
  return { entries, columns: mapped };
}

/** `columns: Ort → location.city, Bemerkung → (left out)` */
function columnsLine(mapped: readonly MappedHeader[]): string {
  const texts = mapped.map(({ header, field }) => `${quote(header).slice(1, -1)} → ${field ?? '(left out)'}`);
  return neutraliseLine(`columns: ${[...new Set(texts)].join(', ')}`);
}

/** On a terminal, reports what is read. */
async function noteReading({ session, entries }: Planning): Promise<void> {
  const { stderr, presentation } = session.context;
  if (!stderr.isTerminal || presentation.json || entries.length === 0) return;
  const hosts = hostsOf(entries, session);
  const hold = hosts.includes(' and ') ? 'hold' : 'holds';
  const what = counted(entries.length, 'entry', 'entries');
  await session.out.note(`Comparing ${what} with what ${hosts} ${hold}.`);
}

/** Warns if --prune has no journal to work with: an empty plan would be misleading. */
async function warnOfPrune({ session, target, flags }: Planning, memory: Memory): Promise<void> {
  if (!flags.prune || memory.created().length > 0) return;
  await session.out.warn(
    '--prune finds nothing to delete: no journal of an earlier run with these files, named in this order, says that it ' +
      `created anything at ${targetText(target)}.`,
  );
}
