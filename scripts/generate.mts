import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { version } from '../package.json';
import { topicText } from '../src/commands/help/help.ts';
import type { Context } from '../src/model/ports.ts';
import { modelOf } from '../src/reference/model.ts';
import { topicNames } from '../src/session/command-line.ts';
import { manualPage } from './build/manual.mts';
import { buildProgram } from './build/program.mts';
import { operationsTable, referencePage, surfaceOf } from './build/reference-page.mts';

const root = join(import.meta.dirname, '..');

/** Folders that contain only generated files; all paths are relative to the root. */
const folders = ['man'];

/** Writes the generated files; with --check, only compares them and reports those that differ. */
async function main(check: boolean): Promise<void> {
  const wanted = await generated();
  for (const [path, text] of wanted) {
    if (!check) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    } else if ((await readIfThere(path)) !== text) drifted(`${path} is out of date.`);
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
  // The reference has the global flags as a section.
  const others = topicNames.filter((name) => name !== 'flags');
  const texts = Object.fromEntries(others.map((name) => [name, topicText(name, 80, program)]));
  const operations = (await readIfThere('docs/operations.md')) ?? '';
  return new Map([
    ['docs/surface.txt', surfaceOf(model)],
    ['docs/operations.md', withPart(operations, 'operations', operationsTable(model))],
    ['docs/reference.md', referencePage(model, texts)],
    ['man/innctl.1', manualPage(model, version)],
  ]);
}

/** Replaces the part of a text between two marks. */
function withPart(text: string, name: string, part: string): string {
  const marks = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`] as const;
  const [before, rest] = text.split(marks[0]);
  const after = rest?.split(marks[1])[1];
  if (after === undefined) throw new Error(`There are no marks for "${name}".`);
  return `${before}${marks[0]}\n${part}\n${marks[1]}${after}`;
}

/** Building the program uses only the version; anything else throws. */
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
