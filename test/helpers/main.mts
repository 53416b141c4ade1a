import { createRequire } from 'node:module';

/** The program from its sources as a process; scripts/build/program.mts explains why it is required. */
const { main } = createRequire(import.meta.url)(
  '../../src/cli/main.ts',
) as typeof import('../../src/cli/main.ts');

await main();
