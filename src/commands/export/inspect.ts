import type { EntryDialect } from '../../manifest/dialect-problems.ts';
import type { Entry } from '../../manifest/entry.ts';
import { openJudge } from '../../manifest/judge.ts';
import { type Report, titleOf } from './report.ts';

/** Looks at an entry as a manifest's reader will; gives it, or nothing where it cannot be written at all. */
export type Inspect = (entry: Entry) => readonly Entry[];

/**
 * Opens the checks of manifests. What they refuse is exported all the same, with a warning: it is what the service
 * holds, and whoever reads the warning can correct the file.
 */
export async function openInspection(report: Report, dialect: EntryDialect): Promise<Inspect> {
  const found: string[] = [];
  const judge = await openJudge(
    {
      addAt: (_place, { field, reason }) => found.push(field === undefined ? reason : `${field}: ${reason}`),
    },
    undefined,
    dialect,
  );
  return (entry) => {
    const { kind, place, fields } = entry;
    if (
      kind === 'user' &&
      Object.keys(fields).every((field) => field === 'email' || field === 'subject_id')
    ) {
      report.leaveOut(entry, 'the service shows nothing of it that a manifest could say');
      return [];
    }
    judge({ place, kind, value: fields });
    const problems = found.splice(0);
    if (problems.length > 0)
      report.warn(`${titleOf(entry)} is exported, and no manifest may hold it so: ${problems.join('; ')}.`);
    return [entry];
  };
}
