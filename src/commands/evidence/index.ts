import type { Context } from '../../model/ports.ts';
import { counted } from '../../model/text.ts';
import { DescribedCommand, localCommand } from '../../session/command-line.ts';
import { withLocalSession } from '../../session/session.ts';

/** `evidence ...`: what commands wrote down about changes of access, with --evidence. */
export function evidenceCommands(context: Context) {
  return new DescribedCommand('evidence', { examples: ['evidence verify evidence/'] })
    .summary('check the evidence about changes of access')
    .description('Check what --evidence wrote about changes of access.')
    .addCommand(verifyFolder(context));
}

/** `evidence verify <folder>`: whether the files are as they were written. Reads this machine only. */
function verifyFolder(context: Context) {
  return localCommand('verify', 'reads', ['evidence verify evidence/', 'evidence verify evidence/ --json'])
    .exitsWith('notFound', 'refused')
    .summary('check that it was not changed since')
    .description(
      'Check that no line of evidence.ndjson was changed, added, removed or reordered since it was written: each names the ' +
        'SHA-256 digest of the one before, and the first one counts them. Exits with 6 and names the first line that is not ' +
        'as it was written. Keep the digest that it prints somewhere else: who may write to the folder can write a new ' +
        'chain, but not one with the same digest.',
    )
    .argument('<folder>', 'folder that --evidence named')
    .action(
      withLocalSession(context, async ({ out }, folder) => {
        const { verifyEvidence } = await import('../../people/evidence.ts');
        const { documents: count, open, head } = verifyEvidence(folder);
        const unfinished = [...open.values()]
          .flat()
          .map(({ before: _, planned: _planned, ...start }) => start);
        for (const { line, job, name } of unfinished)
          await out.warn(`line ${line}: ${job} ${name} was begun and not finished; repeat its command.`);
        const digest = head.last === null ? '' : `; the digest of the last line is ${head.last}`;
        const sentence = `${counted(count, 'document')} as written${digest}.`;
        await out.line(sentence, { folder, intact: true, count, unfinished, last: head.last });
      }),
    );
}
