import { createRequire } from 'node:module';

/** The program from its sources as a process; why it is required, says scripts/build/program.mts. */
const { main } = createRequire(import.meta.url)(
  '../../src/cli/main.ts',
) as typeof import('../../src/cli/main.ts');

await main();
