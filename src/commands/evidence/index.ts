import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { counted } from '../../model/text.ts';

/** `evidence ...`: what commands wrote down about changes of access, with --evidence. */
export function evidenceCommands(context: Context) {
  return new DescribedCommand('evidence', { examples: ['evidence verify evidence/'] })
    .summary('check the evidence about changes of access')
    .description('Check the files that --evidence wrote about changes of access.')
    .addCommand(verifyFolder(context));
}

/** `evidence verify <folder>`: whether the files are as they were written. Reads this machine only. */
function verifyFolder(context: Context) {
  return new DescribedCommand('verify', {
    effect: 'reads',
    exits: ['notFound', 'refused'],
    examples: ['evidence verify evidence/', 'evidence verify evidence/ --json'],
  })
    .summary('check that no file was changed since')
    .description(
      'Check that no file was changed, added, removed or reordered since it was written: each names the SHA-256 digest of ' +
        'the one before. Exits with 6 and names the first that is not as it was written. Keep the digest that it prints ' +
        'somewhere else: who may write to the folder can write a new chain, but not one with the same digest.',
    )
    .argument('<folder>', 'folder that --evidence named')
    .action(
      withLocalSession(context, async ({ out }, folder) => {
        const { verifyEvidence } = await import('../../people/evidence-folder.ts');
        const { files, unfinished, last } = verifyEvidence(folder);
        for (const name of unfinished)
          await out.warn(`${name}: this job was begun and not finished; repeat its command.`);
        const digest = last === null ? '' : `; the digest of the last one is ${last}`;
        const sentence = `${counted(files.length, 'document')} as written${digest}.`;
        await out.line(sentence, { folder, intact: true, count: files.length, unfinished, last });
      }),
    );
}
