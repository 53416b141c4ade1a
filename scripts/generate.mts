import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../src/context.ts';
import { buildProgram } from '../src/program.ts';
import { surfaceOf } from '../src/reference/surface.ts';

/** A file that is derived from the built program; `path` is relative to the root. */
interface Generated {
  readonly path: string;
  readonly make: (program: ReturnType<typeof buildProgram>) => string;
}

const files: readonly Generated[] = [{ path: 'docs/surface.txt', make: surfaceOf }];

/** Writes the generated files; under --check only compares them and tells which have drifted. */
async function main(check: boolean): Promise<void> {
  const program = buildProgram(untouched(), () => {});
  for (const { path, make } of files) {
    const text = make(program);
    const file = join(import.meta.dirname, '..', path);
    if (!check) await writeFile(file, text);
    else if ((await readIfThere(file)) !== text) {
      process.stderr.write(`error: ${path} is not what the program says.\nhint: Run npm run generate.\n`);
      process.exitCode = 1;
    }
  }
}

/** Building the program touches nothing but the version; whatever else it reached for would show here. */
function untouched(): Context {
  return new Proxy({} as Context, {
    get(_, name) {
      if (name === 'version') return '0.0.0';
      throw new Error(`Building the program reached for ${String(name)}.`);
    },
  });
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

await main(process.argv.includes('--check'));
