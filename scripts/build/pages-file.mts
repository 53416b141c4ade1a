import { pagesFileOf } from '../../src/cli/pages.ts';
import type { Context } from '../../src/cli/ports.ts';
import { completionData } from '../../src/reference/completion-data.ts';
import { modelOf } from '../../src/reference/model.ts';
import { helpPages } from './help-pages.mts';
import { buildProgram } from './program.mts';

/** help.txt: help pages and completions. Building the command tree reads only the version, which no page shows. */
export async function pagesFile(): Promise<Buffer> {
  const program = await buildProgram({ version: '0.0.0' } as Context, () => {});
  return pagesFileOf(helpPages(program), completionData(modelOf(program)));
}
