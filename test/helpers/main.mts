import { createRequire } from 'node:module';

/** The program from its sources as a process; why it is required, says scripts/build/program.mts. */
const { main } = createRequire(import.meta.url)('../../src/main.ts') as typeof import('../../src/main.ts');

await main();
