import { once } from 'node:events';
import type { Sink } from '../../src/model/ports.ts';
import { openProgress } from '../../src/print/progress.ts';
import { createSink, screenOf } from '../../src/print/streams.ts';

/**
 * A program that processes forty rows. Halfway it prints a line and, without a mode, waits for
 * a key; the mode `forgetful` does not stop its progress.
 */
async function work(stderr: Sink, mode: string | undefined): Promise<void> {
  const progress = openProgress({
    stderr,
    mode: 'auto',
    plain: mode === 'plain',
    json: false,
  });
  await progress.start(40, 'Applying');
  for (let row = 0; row < 40; row += 1) {
    if (row === 20) await halfway(stderr, mode);
    progress.step({ kind: 'property', name: 'BER', outcome: 'done' });
  }
  if (mode === 'forgetful') return;
  await progress.stop();
  await stderr.write('Applied.\n');
}

async function halfway(stderr: Sink, mode: string | undefined): Promise<void> {
  await stderr.write('Sending to api.example.com.\n');
  if (mode !== undefined) return;
  await once(process.stdin, 'data');
  process.stdin.pause();
}

work(screenOf(createSink(() => process.stderr, 'stderr')), process.argv[2]);
