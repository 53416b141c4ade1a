import { CliError } from '../../cli/errors.ts';
import type { Page, ServiceRecord } from '../../model/records.ts';
import { capitalised, quote } from '../../model/text.ts';
import type { Entry } from '../../seed/entry.ts';
import { readWhole } from '../../service/paging.ts';

/** What is wrong with an export. */
export class Report {
  readonly warnings: string[] = [];
  /** Records that are or may be missing, as kind and name. */
  readonly gaps: string[] = [];
  /** Number of records left out. */
  leftOut = 0;
  /** The first failure to read a record. */
  failure: CliError | undefined;

  /** The entry of a record, if there is one and not a reason to leave it out. */
  kept(record: Pick<Entry, 'kind' | 'name'>, entry: Entry | CliError | string): readonly Entry[] {
    if (typeof entry === 'object' && !(entry instanceof CliError)) return [entry];
    this.leaveOut(record, entry);
    return [];
  }

  /** Leaves a record out, with the reason. */
  leaveOut(record: Pick<Entry, 'kind' | 'name'>, why: string | CliError): void {
    this.leftOut += 1;
    this.gaps.push(titleOf(record));
    if (why instanceof CliError && why.code !== 'not_found') this.failure ??= why;
    const reason = why instanceof CliError ? why.message.replace(/\.$/, '') : why;
    this.warnings.push(`${titleOf(record)} is left out: ${reason}.`);
  }

  /** The records of lists; warns where some may be missing. */
  async recordsIn(lists: readonly AsyncIterable<Page>[], plural: string): Promise<readonly ServiceRecord[]> {
    const records: ServiceRecord[] = [];
    for (const pages of lists) {
      const doubt = await readWhole(pages, plural, (record) => records.push(record));
      if (doubt === undefined) continue;
      this.gaps.push(`further ${plural}`);
      this.warnings.push(`${capitalised(plural)} may be missing: ${doubt}.`);
    }
    return records;
  }
}

/** A record at the start of a sentence: `Property "BER"`. */
export function titleOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  return name === '' ? `${capitalised(kind)} without a name` : `${capitalised(kind)} ${quote(name)}`;
}
