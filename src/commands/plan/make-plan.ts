import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession, Session } from '../../cli/session.ts';
import { counted, quote } from '../../model/text.ts';
import { neutraliseLine } from '../../print/text.ts';
import type { Entry, Kind } from '../../seed/entry.ts';
import { absoluteFiles } from '../../seed/files.ts';
import { Headers, type MappedHeader } from '../../seed/headers.ts';
import { type Memory, type Recalled, recalledFor } from '../../seed/history.ts';
import { type Item, isPending } from '../../seed/item.ts';
import type { RunAbout } from '../../seed/journal-line.ts';
import { entryKinds } from '../../seed/kind.ts';
import { openLockoutRule } from '../../seed/lockout-rows.ts';
import { buildPlan, refuseIncomplete } from '../../seed/plan.ts';
import { readManifest, skippedText } from '../../seed/read.ts';
import { hostOf, type Target, targetText } from '../../seed/target.ts';
import { operations } from '../../service/operations.ts';
import { propertyNames } from '../suggest.ts';
import { targetIn } from '../target.ts';
import type { ParsedPlanFlags } from './flags.ts';
import { printPlan } from './print.ts';

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
    hasDeadline: session.settings().timeoutSeconds !== undefined,
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

/** Warns of lock-outs that apply would refuse. */
async function warnOfLockout(items: readonly Item[], { api, out }: Session): Promise<void> {
  const rule = await openLockoutRule(items, api.users, [], (address) => address).catch(unlessRefused);
  if (rule instanceof CliError) return out.warn(`Who would lose access is not checked: ${rule.message}`);
  const { judgement } = rule;
  if (judgement.verdict === 'safe') return;
  if (judgement.verdict === 'unknown') return out.warn(UNDETERMINED);
  const who = judgement.hit.map(({ subjectId, email = subjectId }) => email).join(', ');
  const does =
    judgement.verdict === 'self' ? 'takes away your own access' : 'leaves no enabled account admin';
  await out.warn(`This plan ${does} (${who}): innctl apply refuses it.`);
}

/** If this cannot be read, the plan is still shown; apply checks again. */
function unlessRefused(cause: unknown): CliError {
  if (cause instanceof CliError && cause.exitCode !== ExitCode.notLoggedIn) return cause;
  throw cause;
}

/** For records that do not show the flag. */
export const UNDETERMINED = 'The service does not show whether an enabled account admin would be left.';

/** The hosts of entries or rows: `api.example.com`, or `the sandbox`. */
export function hostsOf(
  rows: readonly { readonly kind: Kind }[],
  { settings }: Pick<LocalSession, 'settings'>,
): string {
  const { sandbox, baseUrl, identityUrl } = settings();
  if (sandbox) return 'the sandbox';
  const areas = [...new Set(rows.map(({ kind }) => operations[entryKinds[kind].operation].area))];
  const urls = areas.map((area) => (area === 'inventory' ? baseUrl : identityUrl)?.value ?? '');
  return [...new Set(urls.map(hostOf))].join(' and ');
}
