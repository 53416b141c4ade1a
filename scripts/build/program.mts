import { createRequire } from 'node:module';

/**
 * Builds the command tree from the sources. They are loaded with `require`, because in modules that are imported from
 * here an `import()` does not resolve.
 */
const { buildProgram } = createRequire(import.meta.url)(
  '../../src/cli/program.ts',
) as typeof import('../../src/cli/program.ts');

export { buildProgram };
