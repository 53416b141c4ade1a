import { serviceLine } from '../../change/lines.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, detailsFor, refuseInvalid, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, type Session, withSession } from '../../cli/session.ts';
import type { Kind } from '../../files/entry.ts';
import type { Language } from '../../files/files.ts';
import { choiceProblem } from '../../model/names.ts';
import { timeFields } from '../../model/property-fields.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { quote } from '../../model/text.ts';
import { timeOfDay, timeOfDayProblem } from '../../model/values.ts';
import { notInContract } from '../../service/operations.ts';
import { propertyIds } from '../options.ts';
import type { Gathered, Report } from './gather.ts';

/** Requests in parallel. */
const WORKERS = 4;

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
  ])
    .exitsWith('partlyDone')
    .summary('export the account as a manifest')
    .description('Export properties, invitations and users as a manifest, in YAML or the format of --output.')
    .option('--property <ids>', 'export only these properties and their people: BER,VIE', collectList)
    .option('--inventory', 'also export unit groups, units and unit attributes (dialect apaleo)')
    .option(
      '--default-check-in-time <time>',
      'check-in time to write for each property, because services never show it: 15:00',
    )
    .option('--default-check-out-time <time>', 'check-out time to write for each property: 11:00')
    .option('--kind <kinds>', 'export only property, invitation or user (repeatable)', collectList)
    .action(
      withSession(context, async (session, options) => {
        const wanted = await wantedFrom(options, session);
        await session.pace({ concurrency: WORKERS });
        const { gather } = await import('./gather.ts');
        const gathered = await gather(wanted, session.api, WORKERS);
        for (const warning of gathered.report.warnings) await session.out.warn(warning);
        await writeExport(gathered, wanted, session);
        refuseGaps(gathered.report);
      }),
    );
}

async function writeExport(
  { entries, report }: Gathered,
  { format, kinds }: Wanted,
  { context, globals, out }: Session,
): Promise<void> {
  const { lostFields, manifestText } = await import('../../files/write.ts');
  const lost = lostFields(entries, format);
  if (lost.length > 0)
    await out.warn(
      `Omitted because a table cannot hold these fields, --output yaml can: ${lost.join(', ')}.`,
    );
  const text = await manifestText(entries, format, { lists: kinds, leftOut: report.gaps });
  if (globals.query !== undefined) return out.document(JSON.parse(text));
  await context.stdout.write(text);
}

/** Fails if records are missing from the export. */
function refuseGaps({ leftOut, gaps }: Report): void {
  if (gaps.length === 0) return;
  const records = leftOut === 1 ? 'record is left out' : 'records are left out';
  const gap = leftOut === 0 ? 'records may be missing' : `${leftOut} ${records}`;
  throw new CliError('partly_done', `The export is incomplete: ${gap}; see the warnings.`, {
    exitCode: ExitCode.partlyDone,
  });
}

/** What to export, and how. */
export type Wanted = Awaited<ReturnType<typeof wantedFrom>>;

type Flags = ReturnType<ReturnType<typeof exportCommand>['opts']>;

const exportedKinds = ['property', 'invitation', 'user'] as const satisfies readonly Kind[];
type ExportedKind = (typeof exportedKinds)[number];

/** Accepted names of kinds, as of the command groups. */
const kindWords: Readonly<Record<ExportedKind, readonly string[]>> = {
  property: ['property', 'properties'],
  invitation: ['invitation', 'invitations', 'invite'],
  user: ['user', 'users'],
};

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
  refuseInventory(flags, kinds, session.api);
  return {
    /** Without duplicates, in the order of a manifest. */
    kinds,
    /** Also what the properties rent out. */
    inventory: flags.inventory === true,
    /** Fields for every property that services never show. */
    times: timesFrom(flags),
    /** Only these properties and their people. */
    ids: await propertyIds({ '--property': flags.property }, session.api),
    format: formatFrom(session),
  };
}

/** Refuses flags that select parts: a manifest must be complete to be applied. --query is allowed. */
function refuseViews({ fields, quiet, headers }: LocalSession['globals']): void {
  const refused = [
    fields !== undefined && '--fields',
    quiet === true && '--quiet',
    headers === false && '--no-headers',
  ].filter((flag) => flag !== false);
  if (refused.length === 0) return;
  const sentence = `export writes a whole manifest; it cannot be combined with ${refused.join(', ')}.`;
  throw usageError(sentence, 'innctl help formatting');
}

/** Refuses flags about properties where there are none. */
function refuseInventory(
  { inventory, defaultCheckInTime, defaultCheckOutTime }: Flags,
  kinds: readonly ExportedKind[],
  { dialect }: Session['api'],
): void {
  if (inventory === true && dialect.further.listUnits === undefined)
    throw usageError(`export --inventory ${notInContract}.`);
  const given = inventory ?? defaultCheckInTime ?? defaultCheckOutTime;
  if (given !== undefined && !kinds.includes('property'))
    throw usageError('--inventory and the times are about properties, which --kind leaves out.');
}

/** @throws {CliError} exit 2 with all that are no times. */
function timesFrom({ defaultCheckInTime, defaultCheckOutTime }: Flags): ServiceRecord {
  const given = [defaultCheckInTime, defaultCheckOutTime];
  const times = timeFields.flatMap((field, index) => {
    const text = given[index];
    return text === undefined ? [] : [[field, timeOfDay(text)] as const];
  });
  refuseInvalid(
    times.flatMap(([field, time]) => detailsFor(`--${field.replaceAll('_', '-')}`, timeOfDayProblem(time))),
  );
  return Object.fromEntries(times);
}

function kindsFrom(words: readonly string[] | undefined): readonly ExportedKind[] {
  if (words === undefined) return exportedKinds;
  const unknown = words.filter((word) => !Object.values(kindWords).flat().includes(word));
  const problem = (word: string) => (word === '' ? 'has an empty entry' : choiceProblem(word, exportedKinds));
  refuseInvalid(unknown.flatMap((word) => detailsFor('--kind', problem(word))));
  return exportedKinds.filter((kind) => kindWords[kind].some((word) => words.includes(word)));
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
