import { Option } from '@commander-js/extra-typings';
import { serviceLine } from '../../change/lines.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import type { Entry } from '../../files/entry.ts';
import type { Language } from '../../files/files.ts';
import { CliError, detailsFor, ExitCode, refuseInvalid, usageError } from '../../model/errors.ts';
import { camelCase } from '../../model/fields.ts';
import { type Kind, kinds, kindTable, kindText, severalOf, timeFields } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import type { Page, ServiceRecord } from '../../model/records.ts';
import { andList, capitalised, choiceProblem, counted, quote } from '../../model/text.ts';
import { timeOfDay, timeOfDayProblem } from '../../model/values.ts';
import { readWhole } from '../../service/paging.ts';
import { WireFailure } from '../../service/retry.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { type LocalSession, type Session, withSession } from '../../session/session.ts';
import { entryProblems, propertyIds, refuseBeyond } from '../options.ts';
import type { Wanted } from './gather.ts';

/**
 * `export`: the content of the service as a manifest for `plan` and `apply`.
 *
 * GET of the lists of properties, invitations and users, and of each property: lists show texts in one language. The
 * contract does not define what a list or a record contains; missing fields are left out. The default times of a
 * property are never returned.
 */
export function exportCommand(context: Context) {
  return serviceCommand('export', 'reads', [
    'export > hotels.yaml',
    'export --kind property -o csv > hotels.csv',
    'export --property BER,VIE > two.yaml',
    'export --property BER --inventory > ber.yaml',
    'export --people-as invitations | innctl --profile live plan -',
  ])
    .exitsWith('partlyDone')
    .summary('export the account as a manifest')
    .description(
      'Export properties, invitations and users as a manifest, in YAML or the format of --output. As invitations, disabled users are left out; so are users whose roles differ by property, or are more than an invitation takes, and the export names them.',
    )
    .option('--property <ids>', 'export only these properties and their people: BER,VIE', collectList)
    .option('--inventory', 'also export unit groups, units and unit attributes (dialect apaleo)')
    .option(
      '--default-check-in-time <time>',
      'check-in time to write for each property, because services never show it: 15:00',
    )
    .option('--default-check-out-time <time>', 'check-out time to write for each property: 11:00')
    .addOption(
      new Option('--people-as <kind>', 'write users as users, or as invitations for another account')
        .choices(['users', 'invitations'])
        .default('users' as const),
    )
    .option('--kind <kinds>', 'export only property, invitation or user (repeatable)', collectList)
    .action(
      withSession(context, async (session, options) => {
        const wanted = await wantedFrom(options, session);
        const { gather } = await import('./gather.ts');
        const { entries, report } = await gather(wanted, session);
        for (const warning of report.warnings) await session.out.warn(warning);
        await writeExport(entries, wanted, report.gaps, session);
        if (!session.context.presentation.json) await session.out.note(countsText(entries, report));
        if (report.gaps.length > 0) throw incomplete(report.leftOut);
      }),
    );
}

async function writeExport(
  entries: readonly Entry[],
  { format, kinds, peopleAs }: Wanted & { readonly format: Language },
  leftOut: readonly string[],
  { context, globals, out }: Session,
): Promise<void> {
  const { lostFields, manifestText } = await import('../../files/write.ts');
  const lost = lostFields(entries, format);
  if (lost.length > 0)
    await out.warn(
      `Omitted because a table cannot hold these fields, --output yaml can: ${lost.join(', ')}.`,
    );
  const lists = kinds.map((kind) => (peopleAs === 'invitations' && kind === 'user' ? 'invitation' : kind));
  const text = await manifestText(entries, format, { lists, leftOut });
  if (globals.query !== undefined) return out.document(JSON.parse(text));
  await context.stdout.write(text);
}

/** `Exported 3 properties and 4 invitations; 1 disabled user is left out.` */
function countsText(entries: readonly Entry[], { disabled }: Report): string {
  const some = kinds.flatMap((kind) => {
    const count = entries.filter((entry) => entry.kind === kind).length;
    return count === 0 ? [] : counted(count, kindText(kind), severalOf(kind));
  });
  const left = disabled === 0 ? '' : `; left out ${counted(disabled, 'disabled user')}`;
  return `Exported ${andList(some) || 'nothing'}${left}.`;
}

/** The error of an export in which records are missing. */
function incomplete(leftOut: number): CliError {
  const gap = leftOut === 0 ? 'records may be missing' : `${counted(leftOut, 'record')} left out`;
  return new CliError('partly_done', `The export is incomplete: ${gap}; see the warnings.`, {
    exitCode: ExitCode.partlyDone,
  });
}

type Flags = ReturnType<ReturnType<typeof exportCommand>['opts']>;

const exportedKinds = ['property', 'invitation', 'user'] as const satisfies readonly Kind[];
type ExportedKind = (typeof exportedKinds)[number];

/** The output formats that can hold a manifest. */
const formats: readonly Language[] = ['yaml', 'json', 'ndjson', 'csv'];

/**
 * Parses the flags.
 *
 * @throws {CliError} exit 2 with all problems.
 */
async function wantedFrom(flags: Flags, session: Pick<Session, 'api' | 'globals' | 'settings'>) {
  refuseViews(session.globals);
  const kinds = kindsFrom(flags.kind);
  const times = timesFrom(flags);
  refuseInventory({ ...flags, times }, kinds, session.api);
  const { peopleAs } = flags;
  if (peopleAs === 'invitations' && !kinds.includes('user'))
    throw usageError('--people-as is about users, which --kind leaves out.');
  const ids = await propertyIds({ '--property': flags.property }, session.api);
  return { kinds, inventory: flags.inventory === true, times, peopleAs, ids, format: formatFrom(session) };
}

/** Refuses flags that select parts: a manifest must be complete to be applied. --query is allowed. */
function refuseViews({ fields, quiet, headers }: LocalSession['globals']): void {
  if (fields === undefined && quiet !== true && headers !== false) return;
  const sentence = 'export writes a whole manifest: leave out --fields, --quiet and --no-headers.';
  throw usageError(sentence, 'innctl help formatting');
}

/** Refuses flags about properties where there are none. */
function refuseInventory(
  { inventory, times }: { readonly inventory?: true; readonly times: ServiceRecord },
  kinds: readonly ExportedKind[],
  api: Session['api'],
): void {
  if (inventory === true) refuseBeyond('listUnits', 'export --inventory', api);
  const isGiven = inventory === true || Object.keys(times).length > 0;
  if (isGiven && !kinds.includes('property'))
    throw usageError('--inventory and the times are about properties, which --kind leaves out.');
}

/** @throws {CliError} exit 2 with all that are no times. */
function timesFrom(flags: Readonly<Record<string, unknown>>): ServiceRecord {
  const given = timeFields.map((field) => [field, flags[camelCase(field)]] as const);
  const times = given.flatMap(([field, text]) =>
    typeof text === 'string' ? [[field, timeOfDay(text)] as const] : [],
  );
  refuseInvalid(
    times.flatMap(([field, time]) => detailsFor(`--${field.replaceAll('_', '-')}`, timeOfDayProblem(time))),
  );
  return Object.fromEntries(times);
}

function kindsFrom(words: readonly string[] | undefined): readonly ExportedKind[] {
  if (words === undefined) return exportedKinds;
  const named = words.map((word) => exportedKinds.find((kind) => kindTable[kind].several === word) ?? word);
  refuseInvalid(entryProblems('--kind', named, (word) => choiceProblem(word, exportedKinds)));
  return exportedKinds.filter((kind) => named.includes(kind));
}

/** Elsewhere a table is the default format, so only the flag is a contradiction. */
function formatFrom({ globals, settings }: Pick<LocalSession, 'globals' | 'settings'>): Language {
  if (globals.query !== undefined) return 'json';
  const output = settings().output?.value;
  const format = formats.find((each) => each === output);
  if (format === undefined && globals.output !== undefined)
    throw usageError(
      `--output ${quote(globals.output)} cannot hold a manifest: use yaml, json, ndjson or csv.`,
      serviceLine(globals, 'export', '--output', 'yaml'),
    );
  return format ?? 'yaml';
}

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
