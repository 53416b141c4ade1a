import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../src/context.ts';
import { buildProgram } from '../src/program.ts';
import { operationsTable } from '../src/reference/operations-table.ts';
import { surfaceOf } from '../src/reference/surface.ts';

/** A file that is derived from the program, whole or in part; `path` is relative to the root. */
interface Generated {
  readonly path: string;
  /** @param before what stands there now. */
  readonly make: (program: ReturnType<typeof buildProgram>, before: string) => string;
}

const files: readonly Generated[] = [
  { path: 'docs/surface.txt', make: surfaceOf },
  { path: 'README.md', make: (program, before) => withPart(before, 'operations', operationsTable(program)) },
];

/** Writes the generated files; under --check only compares them and tells which have drifted. */
async function main(check: boolean): Promise<void> {
  const program = buildProgram(untouched(), () => {});
  for (const { path, make } of files) {
    const file = join(import.meta.dirname, '..', path);
    const before = await readIfThere(file);
    const text = make(program, before ?? '');
    if (!check) await writeFile(file, text);
    else if (before !== text) {
      process.stderr.write(`error: ${path} is not what the program says.\nhint: Run npm run generate.\n`);
      process.exitCode = 1;
    }
  }
}

/** A text in which the part between two marks is this one. */
function withPart(text: string, name: string, part: string): string {
  const marks = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`] as const;
  const [before, rest] = text.split(marks[0]);
  const after = rest?.split(marks[1])[1];
  if (after === undefined) throw new Error(`There are no marks for "${name}".`);
  return `${before}${marks[0]}\n${part}\n${marks[1]}${after}`;
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
