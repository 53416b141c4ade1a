import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { collectList } from '../../global-options.ts';
import { type Session, withSession } from '../../session.ts';
import type { Gathered } from './gather.ts';
import { type Wanted, wantedFrom } from './wanted.ts';

/** Requests at a time. */
const WORKERS = 4;

/**
 * `export`: what the service holds, as a manifest that `plan` and `apply` take.
 *
 * GET of the lists of properties, invitations and users, and of each property: lists show their texts in one language.
 * The contract does not show what a list or a record holds, so that what is not shown is left out; the default times of
 * a property are never read back.
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
    .summary('write what the service holds as a manifest')
    .description('Write properties, invitations and users as a manifest: YAML, or as --output says.')
    .option('--property <ids>', 'only these properties, and people who have them: BER,VIE', collectList)
    .option('--kind <kinds>', 'only property, invitation or user (repeatable)', collectList)
    .option('--split <folder>', 'write files into a folder: one for each entry, or one table for each kind')
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
  if (folder !== undefined) {
    const { writeFolder } = await import('./split.ts');
    await writeFolder({ entries, gaps, format, folder }, out, context.signal);
    return;
  }
  const { manifestText } = await import('../../manifest/write.ts');
  const { lossText } = await import('./report.ts');
  const losses: string[] = [];
  const text = await manifestText(entries, format, {
    lists: kinds,
    leftOut: gaps,
    onLoss: (fields) => losses.push(fields),
  });
  for (const fields of losses) await out.warn(lossText(fields));
  if (globals.query !== undefined) return out.document(JSON.parse(text));
  await context.stdout.write(text);
}

/** What was written is not all that the service holds. */
function refuseGaps({ leftOut, gaps }: Gathered): void {
  if (gaps.length === 0) return;
  const records = leftOut === 1 ? 'record is left out' : 'records are left out';
  const gap = leftOut === 0 ? 'records may be missing' : `${leftOut} ${records}`;
  throw new CliError('partly_done', `The export is not whole: ${gap}, as the warnings say.`, {
    exitCode: ExitCode.partlyDone,
  });
}
