import { type Entry, placeText } from '../../manifest/entry.ts';
import { openJudge } from '../../manifest/judge.ts';
import type { ManifestFormat } from '../../manifest/write.ts';
import { type Report, titleOf } from './report.ts';
import { createTableView } from './table-view.ts';

/** Looks at an entry as a manifest's reader will; gives it, or nothing where it cannot be written at all. */
export type Inspect = (entry: Entry) => readonly Entry[];

/**
 * Opens the checks of manifests. What they refuse is exported all the same, with a warning: it is what the service
 * holds, and whoever reads the warning can correct the file.
 */
export async function openInspection(format: ManifestFormat, report: Report): Promise<Inspect> {
  const found: string[] = [];
  const judge = await openJudge(
    {
      add: (field, reason) => found.push(`${field}: ${reason}`),
      addError: (name, error) => found.push(`${name}: ${error.message}`),
      throwIfAny: () => {},
    },
    undefined,
  );
  const inTable = createTableView(report);
  return (entry) => {
    const { kind, place } = entry;
    const written = format === 'csv' ? inTable(entry) : entry;
    if (kind === 'user' && isEmpty(written, format)) {
      report.leaveOut(entry, 'the service shows nothing of it that a manifest could say');
      return [];
    }
    judge({ place, kind, value: written.fields });
    const problems = found.splice(0).map((problem) => problem.replace(`${placeText(place)}: `, ''));
    if (problems.length > 0)
      report.warn(`${titleOf(entry)} is exported, and no manifest may hold it so: ${problems.join('; ')}.`);
    return [written];
  };
}

/** Nobody may write a user of whom nothing is said; an empty list is nothing in a table. */
function isEmpty({ fields }: Entry, format: ManifestFormat): boolean {
  const { enabled, properties } = fields;
  const isNothing = Array.isArray(properties) && properties.length === 0 && format === 'csv';
  return enabled === undefined && (properties === undefined || isNothing);
}
