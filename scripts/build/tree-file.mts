import type { Context } from '../../src/cli/ports.ts';
import { completionData, modelOf } from '../../src/reference/model.ts';
import { buildProgram } from './program.mts';

/** The command tree and codes for completions, as JSON. Building the tree reads only the version. */
export async function treeFile(): Promise<string> {
  return completionData(modelOf(await buildProgram({ version: '0.0.0' } as Context, () => {})));
}
