import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What people and services get wrong, held against the built program. */
const badInput = ['test/commands/bad-input.test.ts', 'test/commands/hostile-input-*.test.ts'];

/** What takes longest, first. */
const long = [
  /histories/,
  /soak|-laws|access-review|drift|inventory-apply/,
  /faults.[^.]+\.test|people-|csv|documents/,
];

/** Runs long files first, also in a fresh clone, so that no core waits for one of them at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      (long.findIndex((each) => each.test(moduleId)) + long.length + 1) % (long.length + 1);
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for a process, a socket or the disk.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bin/**', 'test/real/**', ...badInput],
          globalSetup: 'test/helpers/bundled.ts',
          // One process runs many files, so that the program is loaded once. Tests must reset what they set.
          isolate: false,
          unstubEnvs: true,
        },
      },
      {
        extends: true,
        // The tests of bad input run against the built files alone.
        resolve: {
          alias: [
            {
              find: /^.*\/src\/cli\/run\.ts$/,
              replacement: join(import.meta.dirname, 'test/helpers/built-run.ts'),
            },
          ],
        },
        test: {
          name: 'bin',
          include: ['test/bin/**/*.test.ts', ...badInput],
          globalSetup: ['test/bin/setup.ts', 'test/helpers/bundled.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          globalSetup: 'test/helpers/bundled.ts',
          testTimeout: 120_000,
        },
      },
    ],
  },
});
