import { CliError } from '../../cli/errors.ts';
import { quote } from '../../model/text.ts';
import type { Entry } from '../../seed/entry.ts';

/** What is to be said of an export. */
export interface Report {
  warn(sentence: string): void;
  /** Records may be missing whose names are unknown. */
  miss(plural: string, why: string): void;
  /** A record is not exported. */
  leaveOut(record: Pick<Entry, 'kind' | 'name'>, why: string | CliError): void;
  told(): Told;
}

/** All that was said. */
export interface Told {
  readonly warnings: readonly string[];
  /** So many records are not exported. */
  readonly leftOut: number;
  /** All that is missing, or may be, as kind and name. */
  readonly gaps: readonly string[];
  /** Why the first of those that are there could not be read. */
  readonly failure: CliError | undefined;
}

/** Nothing is to be said yet. */
export function createReport(): Report {
  const warnings: string[] = [];
  const gaps: string[] = [];
  let leftOut = 0;
  let failure: CliError | undefined;
  return {
    warn: (sentence) => warnings.push(sentence),
    miss(plural, why) {
      gaps.push(`further ${plural}`);
      warnings.push(`${plural.charAt(0).toUpperCase()}${plural.slice(1)} may be missing: ${why}.`);
    },
    leaveOut(record, why) {
      leftOut += 1;
      gaps.push(titleOf(record));
      if (why instanceof CliError && why.code !== 'not_found') failure ??= why;
      const reason = why instanceof CliError ? why.message.replace(/\.$/, '') : why;
      warnings.push(`${titleOf(record)} is left out: ${reason}.`);
    },
    told: () => ({ warnings, leftOut, gaps, failure }),
  };
}

/** How sentences begin that are about a record: `Property "BER"`. */
export function titleOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  const noun = kind.charAt(0).toUpperCase() + kind.slice(1);
  return name === '' ? `${noun} without a name` : `${noun} ${quote(name)}`;
}

/** What a table lacks, and what to do. */
export function lossWarnings(lost: readonly string[]): readonly string[] {
  if (lost.length === 0) return [];
  return [`A table cannot hold these fields, and they are left out; --output yaml can: ${lost.join(', ')}.`];
}
