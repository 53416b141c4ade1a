import { acquireLock } from '../../src/fs/lock.ts';

/** A process that acquires the lock of a file, reports it, and holds it until it is killed. */
async function main([path = '']: readonly string[]): Promise<void> {
  await acquireLock(path);
  process.stdout.write('taken\n');
  setInterval(() => {}, 60_000);
}

void main(process.argv.slice(2));
