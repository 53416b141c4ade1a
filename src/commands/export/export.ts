import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import type { Gathered } from './gather.ts';
import { lossWarnings } from './report.ts';
import { type Wanted, wantedFrom } from './wanted.ts';

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
  return new DescribedCommand('export', {
    effect: 'reads',
    on: 'service',
    exits: ['partlyDone'],
    examples: [
      'export > hotels.yaml',
      'export --kind property -o csv > hotels.csv',
      'export --property BER,VIE --split hotels',
    ],
  })
    .summary('export the account as a manifest')
    .description('Export properties, invitations and users as a manifest, in YAML or the format of --output.')
    .option('--property <ids>', 'export only these properties and their people: BER,VIE', collectList)
    .option('--kind <kinds>', 'export only property, invitation or user (repeatable)', collectList)
    .option('--split <folder>', 'write files to a folder: one per entry, or one table per kind')
    .action(
      withSession(context, async (session, options) => {
        const wanted = await wantedFrom(options, session);
        session.pace({ concurrency: WORKERS });
        const { gather } = await import('./gather.ts');
        const gathered = await gather(wanted, session.api, WORKERS);
        for (const warning of gathered.warnings) await session.out.warn(warning);
        await write(gathered, wanted, session);
        refuseGaps(gathered);
      }),
    );
}

async function write(
  { entries, gaps }: Gathered,
  wanted: Wanted,
  { context, out, globals }: Session,
): Promise<void> {
  const { format, folder, kinds } = wanted;
  const { lostFields, manifestText } = await import('../../seed/write.ts');
  if (folder !== undefined) {
    const { writeFolder } = await import('./folder.ts');
    await writeFolder({ entries, gaps, format, folder }, out, context.signal);
    return;
  }
  for (const warning of lossWarnings(await lostFields(entries, format))) await out.warn(warning);
  const text = await manifestText(entries, format, { lists: kinds, leftOut: gaps });
  if (globals.query !== undefined) return out.document(JSON.parse(text));
  await context.stdout.write(text);
}

/** Fails if records are missing from the export. */
function refuseGaps({ leftOut, gaps }: Gathered): void {
  if (gaps.length === 0) return;
  const records = leftOut === 1 ? 'record is left out' : 'records are left out';
  const gap = leftOut === 0 ? 'records may be missing' : `${leftOut} ${records}`;
  throw new CliError('partly_done', `The export is incomplete: ${gap}; see the warnings.`, {
    exitCode: ExitCode.partlyDone,
  });
}
