import { asConsent } from '../../cli/consent.ts';
import type { Session } from '../../cli/session.ts';
import { counted } from '../../model/text.ts';
import { listed } from '../../seed/entry.ts';
import { consequencesOf, type Item, isPending } from '../../seed/item.ts';
import { summaryOf } from '../../seed/saved-plan.ts';
import type { OperationId } from '../../service/operations.ts';
import { countOutcomes } from '../apply/end.ts';
import {
  again,
  consentTo,
  operationOf,
  refuseDeletes,
  refuseForbidden,
  refuseLockout,
  showPlan,
} from '../apply/plan-run.ts';
import { report } from '../apply/report.ts';
import { carryOut, deadlineOf, unsent } from '../apply/run.ts';
import { parseApplyFlags } from '../plan/flags.ts';
import { printPlanned } from '../plan/print.ts';

/** The consent that the command line gives. */
export interface GivenConsent {
  /** See `JournalledRun`. */
  readonly needsRoles?: boolean | undefined;
  readonly confirm?: readonly string[] | undefined;
  readonly allowLockout?: readonly string[] | undefined;
}

/** A row for a reference, and what else the command line may call it. */
export interface Row {
  readonly item: Item;
  readonly names: readonly string[];
  /** What the question about a deletion calls it; default: the name of the item. */
  readonly title?: string;
  /** Makes consent by name needed: what is done, before and after the names, if the item does not say it. */
  readonly severe?: readonly [before: string, after: string];
}

/** Asks the guard about each record before anything is read. @throws {CliError} `blocked`, exit 11. */
export function permitEach(operation: OperationId, references: readonly string[], { api }: Session): void {
  const asked = references.map((each) => [operation, each] as const);
  refuseForbidden(asked, api.permit);
}

/** The consent to changes of records that were found, which their number limits instead of their names. */
interface FoundConsent extends GivenConsent {
  /** Its presence says that the command line does not name the records; `maxDeletes` is as typed. */
  readonly limits?: { readonly maxDeletes?: string | undefined };
}

/**
 * Changes or deletes several records that the command line names or describes, with the engine of apply: one plan, one consent, a result
 * for each. The same command makes a new plan of what is left.
 *
 * @param continuing the session whose command line continues an incomplete run.
 * @throws {CliError} exit 11 without consent; the error of the run, if it was not done completely.
 */
export async function changeSeveral(
  rows: readonly Row[],
  consent: FoundConsent,
  session: Session,
  continuing = session,
): Promise<void> {
  const items = rows.map(({ item }) => item);
  const { allowLockout, limits, needsRoles } = consent;
  const flags = parseApplyFlags({ allowLockout, maxDeletes: limits?.maxDeletes, verbose: true });
  const run = { session, flags, deadline: deadlineOf(session) };
  const agreed = async () => {
    refuseForbidden(items.filter(isPending).map(operationOf), session.api.permit);
    const rule = await refuseLockout(items, run);
    if (limits !== undefined) refuseDeletes(items, { ...run, review: again(run, '--dry-run') });
    await agree(rows, consent, session);
    return rule;
  };
  const lockout = await unsent(agreed());
  if (session.globals.dryRun === true) return printPlanned(items, { summary: summaryOf(items) }, session);
  await session.pace({ ...flags, stop: session.context.signal });
  const { journal, context } = session;
  const about = { command: journal.command, files: context.argv };
  const isContinued = journal.begin(about, await journal.read());
  const execution = await session.sheltered(() => carryOut({ items, lockout }, run, noJournal));
  journal.end(countOutcomes(execution.results), isContinued);
  await report(execution, undefined, { flags, session: continuing, needsRoles });
}

/** Shows the plan and asks for one consent: by name if properties are deleted or users disabled. */
export async function agree(
  rows: readonly Row[],
  { confirm = [] }: GivenConsent,
  session: Session,
): Promise<void> {
  const items = rows.map(({ item }) => item);
  if (session.globals.dryRun === true || !items.some(isPending)) return;
  const { deletes, disables } = consequencesOf(items.filter(isPending));
  const others = rows.flatMap(({ item, severe: words }) => (words && isPending(item) ? [item] : []));
  const severe = new Set([...deletes.filter(({ kind }) => kind === 'property'), ...disables, ...others]);
  const namesOf = ({ item, names }: Row) => [item.name, ...names] as const;
  if (severe.size === 0) {
    // Consent by name is the stronger one: little may be left of the people whom a repeated command line confirms.
    const confirmed = new Set(confirm.flatMap((word) => [word, ...word.split(',')]).map(asConsent));
    const pending = rows.filter(({ item }) => isPending(item));
    const isConfirmed = pending.every((row) => namesOf(row).some((name) => confirmed.has(asConsent(name))));
    return isConfirmed ? showPlan(items, session) : consentTo(items, session);
  }
  await showPlan(items, session);
  const named = rows.filter(({ item }) => severe.has(item));
  // A repeated command line still names those that are done.
  const given = { names: named.map(namesOf), given: confirm, others: rows.flatMap(namesOf) };
  await session.confirmByName({ sentence: severeText(named), ...given });
}

/** `This deletes 2 properties: BER (Grand Hotel), MUC (Isar Hotel).` */
function severeText(rows: readonly Row[]): string {
  const [first] = rows;
  const [one, several] = first?.item.kind === 'property' ? ['property', 'properties'] : ['user', 'users'];
  const usual = first?.item.action === 'delete' ? 'deletes' : 'disables';
  const [before, after] = first?.severe ?? [usual, ''];
  const titles = rows.map(({ item, title = item.name }) => title);
  return `This ${before} ${counted(rows.length, one, several)}${after}: ${listed(titles)}.`;
}

/** What is asked for is on the command line, and nothing is created. */
const noJournal = {
  recall: () => undefined,
  newKey: () => {
    throw new Error('nothing is created');
  },
  see: () => {},
  keysFrom: undefined,
};
