import { once } from 'node:events';
import type { Sink } from '../../src/cli/ports.ts';
import { openProgress } from '../../src/out/progress.ts';
import { screenOf } from '../../src/out/screen.ts';
import { createSink } from '../../src/out/streams.ts';

/**
 * A program that works through forty rows of 25 ms by its own clock. Halfway it says something and, in no mood, waits for
 * a key; a forgetful one does not stop its progress.
 */
async function work(stderr: Sink, mood: string | undefined): Promise<void> {
  let now = 0;
  const progress = openProgress({
    stderr,
    mode: 'auto',
    plain: mood === 'plain',
    now: () => now,
    json: false,
  });
  await progress.start(40, 'Applying');
  for (let row = 0; row < 40; row += 1) {
    if (row === 20) await halfway(stderr, mood);
    now += 25;
    progress.step();
  }
  if (mood === 'forgetful') return;
  await progress.stop();
  await stderr.write('Applied.\n');
}

async function halfway(stderr: Sink, mood: string | undefined): Promise<void> {
  await stderr.write('Sending to api.example.com.\n');
  if (mood !== undefined) return;
  await once(process.stdin, 'data');
  process.stdin.pause();
}

work(screenOf(createSink(() => process.stderr, 'stderr')), process.argv[2]);
