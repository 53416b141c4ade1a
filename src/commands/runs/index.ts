import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalChange, withLocalSession, withSession } from '../../cli/session.ts';
import { onePage } from '../../model/records.ts';
import { allowLockoutFlag, verboseFlag } from '../apply/flags.ts';
import { resendUnknownFlag } from '../plan/flags.ts';

/** `runs ...`: manage runs, from their journals. */
export function runsCommands(context: Context) {
  return new DescribedCommand('runs', {
    examples: ['runs list', 'runs show 1cdd022e', 'runs resume 1cdd022e'],
  })
    .alias('run')
    .summary('show, resume and forget runs')
    .description(
      'Show, resume and forget runs of apply and of commands for several people, from the journals on this machine.',
    )
    .addCommand(listRuns(context))
    .addCommand(showRun(context))
    .addCommand(resumeRun(context))
    .addCommand(forgetRun(context));
}

/** `runs list`: all runs in the journals on this machine, newest first. */
function listRuns(context: Context) {
  return new DescribedCommand('list', {
    effect: 'reads',
    examples: ['runs list', 'runs list --journal ./import.ndjson --json'],
  })
    .alias('ls')
    .summary('list runs, newest first')
    .description('List the runs in the journals on this machine, newest first.')
    .option(...journalFlag)
    .action(
      withLocalSession(context, async (session, { journal }) => {
        const { allRuns, runRecord, runShape } = await import('./found-runs.ts');
        const runs = await allRuns(session, journal);
        await session.out.records(runShape, onePage(runs.map(runRecord)));
      }),
    );
}

/** `runs show <run-id>`: the rows of a run, from its journal. */
function showRun(context: Context) {
  return new DescribedCommand('show', {
    effect: 'reads',
    exits: ['notFound', 'ambiguous'],
    examples: ['runs show 1cdd022e', 'runs show 1cdd022e --json'],
  })
    .alias('get')
    .summary('show what a run did')
    .description(
      'Show the failures and the sum of a run; with --verbose, and in other formats, all its rows.',
    )
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .option(...verboseFlag)
    .action(
      withLocalSession(context, async (session, runId, { journal, verbose }) => {
        const { rowRecords, rowShape, runRecord, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        const facts = runRecord(found);
        const { run_id: id, target, state } = facts;
        await session.out.note(`Run ${id} at ${target} is ${state}. Its journal is ${found.path}.`);
        const { pastLines, pastOutline } = await import('./past-run.ts');
        const outline = pastOutline(found.run, verbose === true);
        await session.out.records(rowShape, onePage(rowRecords(found)), facts, outline);
        const { stderr, presentation } = session.context;
        if (!stderr.isTerminal || presentation.json) return;
        for (const line of pastLines(found.run, state === 'running')) await session.out.note(line);
      }),
    );
}

/**
 * `runs resume <run-id>`: finish a run with its original files and flags. Requests that are repeated keep their
 * idempotency keys.
 */
function resumeRun(context: Context) {
  return new DescribedCommand('resume', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone', 'ambiguous'],
    examples: ['runs resume 1cdd022e', 'runs resume 1cdd022e --yes'],
  })
    .summary('resume a run')
    .description('Finish an interrupted or failed run, with its original files and flags.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .option('--max-deletes <n>', 'maximum number of deletions and disabled users (default: that of the run)')
    .option(...allowLockoutFlag)
    .option(...resendUnknownFlag)
    .option(...verboseFlag)
    .action(
      withSession(context, async (session, runId, { journal, ...consent }) => {
        const { isComplete } = await import('../../seed/history.ts');
        const { refuseRunning, refuseUnlike, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        const { header } = found.run;
        if (isComplete(found.run)) {
          await session.out.done(`Run ${header.id} is complete: nothing is left to do.`, {
            run_id: header.id,
            state: 'complete',
          });
          return;
        }
        refuseRunning(found.path);
        await refuseUnlike(found, session);
        const { resume } = await import('./resume.ts');
        await resume(session, found.path, header, consent);
      }),
    );
}

/** `runs forget <run-id>`: remove the journal of a run, after confirmation. Nothing changes at the service. */
function forgetRun(context: Context) {
  return new DescribedCommand('forget', {
    effect: 'destroys',
    exits: ['notFound', 'refused', 'blocked', 'ambiguous'],
    examples: ['runs forget 1cdd022e', 'runs forget 1cdd022e --yes'],
  })
    .alias('rm')
    .summary('delete the journal of a run')
    .description('Delete the journal that contains a run. Nothing changes at the service.')
    .argument('<run-id>', 'id of the run, or at least its first 6 characters')
    .option(...journalFlag)
    .action(
      withLocalChange(context, async (session, runId, { journal }) => {
        const { forgetQuestion, refuseRunning, removeJournal, theRun } = await import('./found-runs.ts');
        const found = await theRun(session, runId, journal);
        refuseRunning(found.path);
        await session.confirm(forgetQuestion(found));
        removeJournal(found.path);
        const { id } = found.run.header;
        await session.out.done(`Forgot run ${id}, and removed its journal ${found.path}.`, {
          run_id: id,
          journal: found.path,
          forgotten: true,
        });
      }),
    );
}

/** The --journal flag of commands that find a run. */
const journalFlag = ['--journal <path>', 'path of the journal, if the run had its own'] as const;
