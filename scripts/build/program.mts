import { createRequire } from 'node:module';

/**
 * Builds the command tree from the sources. They are required: modules that are imported from here are evaluated where
 * an `import()` of theirs finds nothing.
 */
const { buildProgram } = createRequire(import.meta.url)(
  '../../src/cli/program.ts',
) as typeof import('../../src/cli/program.ts');

export { buildProgram };
