import { CliError } from '../../cli/errors.ts';
import { quote } from '../../model/text.ts';
import type { Entry } from '../../seed/entry.ts';

/** Problems of an export. */
export interface Report {
  readonly warnings: string[];
  /** Records that are or may be missing, as kind and name. */
  readonly gaps: string[];
  /** Number of records left out. */
  leftOut: number;
  /** The first failure to read a record. */
  failure: CliError | undefined;
}

/** Notes that unknown records may be missing. */
export function noteMissing(report: Report, plural: string, why: string): void {
  report.gaps.push(`further ${plural}`);
  report.warnings.push(`${plural.charAt(0).toUpperCase()}${plural.slice(1)} may be missing: ${why}.`);
}

/** Notes a record that is left out. */
export function noteLeftOut(
  report: Report,
  record: Pick<Entry, 'kind' | 'name'>,
  why: string | CliError,
): void {
  report.leftOut += 1;
  report.gaps.push(titleOf(record));
  if (why instanceof CliError && why.code !== 'not_found') report.failure ??= why;
  const reason = why instanceof CliError ? why.message.replace(/\.$/, '') : why;
  report.warnings.push(`${titleOf(record)} is left out: ${reason}.`);
}

/** A record at the start of a sentence: `Property "BER"`. */
export function titleOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  const noun = kind.charAt(0).toUpperCase() + kind.slice(1);
  return name === '' ? `${noun} without a name` : `${noun} ${quote(name)}`;
}

/** Warns of fields that a table cannot hold. */
export function lossWarnings(lost: readonly string[]): readonly string[] {
  if (lost.length === 0) return [];
  return [`Omitted because a table cannot hold these fields, --output yaml can: ${lost.join(', ')}.`];
}
