import { quote } from '../../checks/text.ts';
import type { Entry } from '../../manifest/entry.ts';

/** What is to be said of an export. */
export interface Report {
  warn(sentence: string): void;
  /** A record is not exported. */
  leaveOut(record: Pick<Entry, 'kind' | 'name'>, why: string): void;
  told(): { readonly warnings: readonly string[]; readonly leftOut: number };
}

/** Nothing is to be said yet. */
export function createReport(): Report {
  const warnings: string[] = [];
  let leftOut = 0;
  return {
    warn: (sentence) => warnings.push(sentence),
    leaveOut(record, why) {
      leftOut += 1;
      warnings.push(`${titleOf(record)} is left out: ${why}.`);
    },
    told: () => ({ warnings, leftOut }),
  };
}

/** How sentences begin that are about a record: `Property "BER"`. */
export function titleOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  const noun = kind.charAt(0).toUpperCase() + kind.slice(1);
  return name === '' ? `${noun} without a name` : `${noun} ${quote(name)}`;
}

/** What a table lacks, and what to do. */
export function lossText(fields: string): string {
  return `A table cannot hold these fields, and they are left out; --output yaml can: ${fields}.`;
}
