import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What people and services get wrong, held against the built program. */
const badInput = ['test/commands/bad-input.test.ts', 'test/commands/hostile-input-*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for a process or a socket; with the default one core would be idle.
    maxWorkers: '100%',
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
