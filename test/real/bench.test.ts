import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome, root } from '../bin/home.ts';

interface Figure {
  readonly way: string;
  readonly rounds: number;
  readonly ms: { readonly low: number; readonly median: number; readonly high: number };
}

interface Report {
  readonly node: string;
  readonly peers: readonly { readonly program: string }[];
  readonly chapters: readonly { readonly environment: string; readonly figures: readonly Figure[] }[];
}

/** Runs the benchmark with only Node and the programs of the system on the PATH. */
async function bench(...words: readonly string[]) {
  await using home = await openHome();
  return home.run([process.execPath, '--import', 'tsx', join(root, 'scripts/bench.mts'), ...words], {
    cwd: root,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
}

test('the benchmark measures innctl and other programs alternately, in two environments', {
  timeout: 600_000,
}, async () => {
  const { exitCode, stdout } = await bench('--quick', '--json', 'start');

  const { node, peers, chapters }: Report = JSON.parse(stdout);
  const figures = chapters.flatMap((chapter) => chapter.figures);
  expect({ exitCode, node }).toEqual({ exitCode: 0, node: process.version });
  expect(chapters.map(({ environment }) => environment)).toEqual(['clean', 'as it is']);
  expect(figures.map(({ way }) => way)).toEqual(
    expect.arrayContaining(['node -e 0', 'innctl', ...peers.map(({ program }) => program)]),
  );
  expect(
    figures.filter(
      ({ rounds, ms }) => !(rounds > 0 && 0 < ms.low && ms.low <= ms.median && ms.median <= ms.high),
    ),
  ).toEqual([]);
});

test.each([
  { words: ['starts'], expectedError: '"starts" is no part.' },
  { words: ['--fast'], expectedError: "Unknown option '--fast'." },
  {
    words: ['--write', 'start'],
    expectedError: 'scripts/bench/results.md holds all parts, measured in full.',
  },
  {
    words: ['--write', '--quick'],
    expectedError: 'scripts/bench/results.md holds all parts, measured in full.',
  },
])('the benchmark rejects $words', async ({ words, expectedError }) => {
  const { exitCode, stdout, stderr } = await bench(...words);

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(expectedError);
  expect(stderr).toContain('Usage: npm run bench');
  expect(stderr).not.toContain('    at ');
});
