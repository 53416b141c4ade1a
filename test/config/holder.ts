import { acquireLock } from '../../src/fs/lock.ts';

/** A process that takes the lock of a file, says so, and keeps it until it is killed. */
async function main([path = '']: readonly string[]): Promise<void> {
  await acquireLock(path);
  process.stdout.write('taken\n');
  setInterval(() => {}, 60_000);
}

void main(process.argv.slice(2));
