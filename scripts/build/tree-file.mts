import type { Context } from '../../src/model/ports.ts';
import { modelOf } from '../../src/reference/model.ts';
import { ascii } from './bundle.mts';
import { buildProgram } from './program.mts';
import { completionData } from './reference-page.mts';

/** The command tree and codes for completions, as JSON. Building the tree reads only the version. */
export async function treeFile(): Promise<string> {
  return ascii(completionData(modelOf(await buildProgram({ version: '0.0.0' } as Context, () => {}))));
}
