import { CliError } from '../../cli/errors.ts';
import { quote } from '../../model/text.ts';
import type { Entry } from '../../seed/entry.ts';

/** What an export could not read, or not write as it is. */
export interface Report {
  readonly warnings: string[];
  /** All that is missing, or may be, as kind and name. */
  readonly gaps: string[];
  /** The number of records that are not exported. */
  leftOut: number;
  /** Why the first of those that exist could not be read. */
  failure: CliError | undefined;
}

/** Notes that records whose names are unknown may be missing. */
export function noteMissing(report: Report, plural: string, why: string): void {
  report.gaps.push(`further ${plural}`);
  report.warnings.push(`${plural.charAt(0).toUpperCase()}${plural.slice(1)} may be missing: ${why}.`);
}

/** Notes a record that is not exported. */
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

/** What a table lacks, and what to do. */
export function lossWarnings(lost: readonly string[]): readonly string[] {
  if (lost.length === 0) return [];
  return [`A table cannot hold these fields, and they are left out; --output yaml can: ${lost.join(', ')}.`];
}
