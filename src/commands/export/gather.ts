import type { Api } from '../../api/api.ts';
import { type Entry, sameName } from '../../manifest/entry.ts';
import { inCodeUnits } from '../../manifest/order.ts';
import { openInspection } from './inspect.ts';
import { gatherInvitations, gatherUsers } from './people.ts';
import { gatherProperties } from './properties.ts';
import { createReport, type Report, type Told } from './report.ts';
import type { Wanted } from './wanted.ts';

/** What the service holds, as a manifest says it. */
export interface Gathered extends Told {
  /** By kind, and by code or e-mail address within. */
  readonly entries: readonly Entry[];
}

/**
 * Reads all that is wanted.
 *
 * @param workers so many properties are read at a time.
 * @throws {CliError} why the first record could not be read, where there is nothing else to write.
 */
export async function gather(wanted: Wanted, api: Api, workers: number): Promise<Gathered> {
  const { kinds, ids } = wanted;
  const report = createReport();
  const properties = kinds.includes('property') ? await gatherProperties(ids, api, workers, report) : [];
  const invitations = kinds.includes('invitation') ? await gatherInvitations(ids, api, report) : [];
  const users = kinds.includes('user') ? await gatherUsers(ids, invitations, api, report) : [];
  const sorted = [properties, invitations, users].flatMap((each) =>
    each.toSorted((one, other) => inCodeUnits(one.name, other.name)),
  );
  const inspect = await openInspection(report, api.dialect);
  const entries = withoutTwins(sorted, report).flatMap(inspect);
  const told = report.told();
  if (entries.length === 0 && told.failure !== undefined) throw told.failure;
  return { entries, ...told };
}

/** A manifest names nothing twice. */
function withoutTwins(entries: readonly Entry[], report: Report): readonly Entry[] {
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const key = `${entry.kind === 'property'}:${sameName(entry.name)}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, entry);
    else if (!isSame(first, entry)) report.leaveOut(entry, `the service has ${first.name} as well`);
  }
  return [...seen.values()];
}

/** People are listed once for each of the properties that were asked for. */
function isSame(one: Entry, other: Entry): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
