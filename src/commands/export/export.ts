import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { makeFolder } from '../../fs/private-folder.ts';
import { reasonOf } from '../../fs/read.ts';
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
  if (folder !== undefined) {
    const { writeFolder } = await import('./split.ts');
    await writeFolder({ entries, gaps, format, folder }, out, context.signal);
    return;
  }
  const { manifestText } = await import('../../seed/write.ts');
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

/** A file of an export that is not in its place yet. */
const draft = /^\..{1,45}\.(ya?ml|json|ndjson|csv)\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
const OLD_MS = 60_000;

/**
 * Makes a folder where there is none, and takes away what killed exports left where there is one.
 *
 * @param isOurs it stands in a folder that was named, and must not lead out of it.
 * @throws {CliError} `symlink`, or `not_written`.
 */
export function openFolder(path: string, isOurs: boolean): void {
  try {
    if (isOurs && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      throw new CliError('symlink', `${path} is a symbolic link; an export does not write through it.`, {
        hint: 'Remove the link, or name another folder.',
      });
    }
    if (!makeFolder(path, 0o777)) sweep(path);
  } catch (cause) {
    throw cause instanceof CliError ? cause : notWritten(path, cause);
  }
}

/** Why files cannot go into a folder of this name, or `undefined`; nothing is made. */
export function folderProblem(path: string): string | undefined {
  try {
    const whole = resolve(path);
    for (let each = whole; ; each = dirname(each)) {
      const found = statSync(each, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return undefined;
      if (found !== undefined) return `${each === whole ? 'it' : each} is not a folder`;
      if (dirname(each) === each) return undefined;
    }
  } catch (cause) {
    return reasonOf(cause);
  }
}

/**
 * Puts a file into place in one step; a link of its name is replaced, and not followed.
 *
 * @throws {CliError} `not_written`; what was there stays.
 */
export function replaceFile(path: string, text: string): void {
  const fresh = join(dirname(path), `.${basename(path).slice(0, 50)}.${randomUUID()}.tmp`);
  try {
    writeFileSync(fresh, text, { flag: 'wx' });
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw notWritten(path, cause);
  }
}

/** What is younger than a minute may be another export's, at work. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => draft.test(each))) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && Date.now() - found.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}

/** The disk refuses. */
function notWritten(path: string, cause: unknown): CliError {
  return new CliError('not_written', `Could not write ${path}: ${reasonOf(cause)}.`, { cause });
}
