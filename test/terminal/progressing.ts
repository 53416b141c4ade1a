import type { Sink } from '../../src/context.ts';
import { openProgress } from '../../src/terminal/progress.ts';
import { screenOf } from '../../src/terminal/screen.ts';
import { createSink } from '../../src/terminal/streams.ts';

/** A program that works through forty rows in two seconds, says something in between, and forgets to stop where told. */
async function work(stderr: Sink, mood: string | undefined): Promise<void> {
  const progress = openProgress({
    stderr,
    mode: 'auto',
    plain: mood === 'plain',
    now: Date.now,
    json: false,
  });
  await progress.start(40, 'Applying');
  for (let row = 0; row < 40; row += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    if (row === 20) await stderr.write('Sending to api.example.com.\n');
    progress.step();
  }
  if (mood === 'forgetful') return;
  await progress.stop();
  await stderr.write('Applied.\n');
}

work(screenOf(createSink(process.stderr, 'stderr')), process.argv[2]);
