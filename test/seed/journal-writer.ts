import { openJournal } from '../../src/seed/journal.ts';
import { contextAt, hotels, rowOf } from './run.ts';

/**
 * `journal-writer.ts <path> <rows> [hold]`: opens the journal, prints `open`, writes this many rows one after another,
 * prints `done`, and then closes the journal, or holds it until the process is killed.
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

// Turns the file size limit into a write error (EFBIG) that is reported, rather than a fatal signal.
process.on('SIGXFSZ', () => {});
write(...process.argv.slice(2)).catch((error) => {
  process.stdout.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
});
