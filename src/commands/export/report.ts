import { mapEach, READERS } from '../../change/workers.ts';
import type { Entry } from '../../files/entry.ts';
import { CliError } from '../../model/errors.ts';
import { ExitCode } from '../../model/exit-codes.ts';
import { kindText } from '../../model/kinds.ts';
import type { Page, ServiceRecord } from '../../model/records.ts';
import { capitalised, quote } from '../../model/text.ts';
import { readWhole } from '../../service/paging.ts';
import { WireFailure } from '../../service/retry.ts';

/** After this many consecutive failures the export stops. */
const MOST_IN_A_ROW = 10;

type Named = Pick<Entry, 'kind' | 'name'>;

/** What an export reads, and what is wrong with it. */
export class Report {
  readonly warnings: string[] = [];
  /** Records that are or may be missing, as kind and name. */
  readonly gaps: string[] = [];
  /** Number of records left out. */
  leftOut = 0;
  /** Number of users who are not invited because they are disabled. */
  disabled = 0;
  /** The first failure to read a record. */
  failure: CliError | undefined;

  /** What was made of a record, if it is not a reason to leave it out. */
  kept<Made extends object>(record: Named, made: Made | CliError | string): readonly Made[] {
    if (typeof made === 'object' && !(made instanceof CliError)) return [made];
    this.leaveOut(record, made);
    return [];
  }

  /** Leaves a record out, with the reason. */
  leaveOut(record: Named, why: string | CliError): void {
    this.leftOut += 1;
    this.gaps.push(titleOf(record));
    if (why instanceof CliError && why.code !== 'not_found') this.failure ??= why;
    const reason = why instanceof CliError ? why.message.replace(/\.$/, '') : why;
    this.warnings.push(`${titleOf(record)} is left out: ${reason}.`);
  }

  /** The records of lists; warns where some may be missing. */
  async listed(plural: string, ...lists: readonly AsyncIterable<Page>[]): Promise<readonly ServiceRecord[]> {
    const records: ServiceRecord[] = [];
    const keep = (record: ServiceRecord) => records.push(record);
    for (const pages of lists)
      await readWhole(pages, plural, keep).catch((cause: unknown) => {
        if (!(cause instanceof CliError) || cause.code !== 'incomplete_list') throw cause;
        this.gaps.push(`further ${plural}`);
        this.warnings.push(cause.message);
      });
    return records;
  }

  /**
   * Reads records alone, and leaves out those that cannot be read.
   *
   * @param read gives what is made of the record, or why it is left out.
   * @param mustExist a missing one ends the export.
   */
  async alone<Each extends Named, Made extends object>(
    all: readonly Each[],
    read: (each: Each) => Promise<Made | string>,
    mustExist = false,
  ): Promise<readonly (Each & { readonly made: Made })[]> {
    let inARow = 0;
    const found = await mapEach(all, READERS, async (each) => {
      try {
        const made = await read(each);
        inARow = 0;
        return typeof made === 'string' ? made : { ...each, made };
      } catch (cause) {
        const isMistake = mustExist && cause instanceof CliError && cause.code === 'not_found';
        if (!(cause instanceof CliError) || isFatal(cause) || isMistake) throw cause;
        inARow = cause.exitCode === ExitCode.unavailable ? inARow + 1 : 0;
        if (inARow === MOST_IN_A_ROW) throw cause;
        return cause;
      }
    });
    return all.flatMap((each, index) => this.kept(each, found[index] ?? ''));
  }
}

/** Whether all further requests would fail too: credentials, rate limit, time limit. */
function isFatal({ exitCode, code, cause }: CliError): boolean {
  if (exitCode === ExitCode.notLoggedIn || code === 'rate_limited') return true;
  return code === 'timeout' && !(cause instanceof WireFailure);
}

/** A record at the start of a sentence: `Property "BER"`. */
export function titleOf({ kind, name }: Named): string {
  return `${capitalised(kindText(kind))} ${name === '' ? 'without a name' : quote(name)}`;
}
