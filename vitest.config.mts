import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for a process or a socket: one core less than there are would stand idle.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bin/**', 'test/real/**'],
        },
      },
      {
        extends: true,
        test: { name: 'bin', include: ['test/bin/**/*.test.ts'], globalSetup: 'test/bin/setup.ts' },
      },
      { extends: true, test: { name: 'real', include: ['test/real/**/*.test.ts'], testTimeout: 120_000 } },
    ],
  },
});
