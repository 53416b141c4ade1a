import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import manifest from '../package.json';
import type { Context } from '../src/cli/ports.ts';
import { topics } from '../src/commands/help/topics.ts';
import { scripts } from '../src/reference/completions/scripts.ts';
import { manualPages } from '../src/reference/manual.ts';
import { modelOf } from '../src/reference/model.ts';
import { operationsTable, referencePage } from '../src/reference/reference-page.ts';
import { surfaceOf } from '../src/reference/surface.ts';
import { buildProgram } from './build/program.mts';

const { version } = manifest;
const root = join(import.meta.dirname, '..');

/** Folders that hold generated files alone; relative to the root, as all paths here. */
const folders = ['completions', 'man'];

/** Writes the generated files; under --check only compares them and tells which have drifted. */
async function main(check: boolean): Promise<void> {
  const wanted = await generated();
  for (const [path, text] of wanted) {
    if (!check) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    } else if ((await readIfThere(path)) !== text) drifted(`${path} is not what the program says.`);
  }
  for (const path of (await Promise.all(folders.map(filesIn))).flat()) {
    if (wanted.has(path)) continue;
    if (check) drifted(`${path} belongs to no command.`);
    else await rm(join(root, path));
  }
}

/** Every generated file, by its path. */
async function generated(): Promise<ReadonlyMap<string, string>> {
  const program = await buildProgram(untouched(), () => {});
  const model = modelOf(program);
  const texts = Object.fromEntries(Object.entries(topics).map(([name, make]) => [name, make(80)]));
  const readme = (await readIfThere('README.md')) ?? '';
  const manuals = [...manualPages(model, version)].map(([name, text]) => [`man/${name}`, text] as const);
  return new Map([
    // npm links the pages that are named here, and no folder.
    ['package.json', packageWith({ man: manuals.map(([path]) => path) })],
    ['docs/surface.txt', surfaceOf(program)],
    ['README.md', withPart(readme, 'operations', operationsTable(program))],
    ['docs/reference.md', referencePage(model, texts)],
    ...Object.values(scripts).map(({ file, make }): [string, string] => [`completions/${file}`, make(model)]),
    ...manuals,
  ]);
}

/** package.json with other values of some of its members. */
function packageWith(members: Partial<typeof manifest>): string {
  return `${JSON.stringify({ ...manifest, ...members }, undefined, 2)}\n`;
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

function drifted(sentence: string): void {
  process.stderr.write(`error: ${sentence}\nhint: Run npm run generate.\n`);
  process.exitCode = 1;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = (await orNothing(readdir(join(root, folder)))) ?? [];
  return names.map((name) => `${folder}/${name}`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  return orNothing(readFile(join(root, path), 'utf8'));
}

/** `undefined` where there is no such file or folder. */
async function orNothing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

await main(process.argv.includes('--check'));
