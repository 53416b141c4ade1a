import { openJournal } from '../../src/seed/journal.ts';
import { contextAt, hotels, rowOf } from './run.ts';

/**
 * `journal-writer.ts <path> <rows> [hold]`: opens the journal, says `open`, writes so many rows one after the other,
 * says `done`, and then lets go of it, or holds it until it is ended.
 */
async function write(path = '', rows = '', hold = ''): Promise<void> {
  const journal = await openJournal({ path, run: hotels, context: contextAt(Date.now) });
  process.stdout.write('open\n');
  for (let index = 0; index < Number(rows); index++) {
    await journal.write(rowOf(`H${index}`));
    process.stdout.write(`H${index}\n`);
  }
  process.stdout.write('done\n');
  if (hold === 'hold') setInterval(() => {}, 60_000);
  else await journal.close();
}

// A file that may not grow is an error to be reported here, and not the end.
process.on('SIGXFSZ', () => {});
write(...process.argv.slice(2)).catch((error) => {
  process.stdout.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
});
