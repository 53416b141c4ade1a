import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { build, type Metafile, transform } from 'esbuild';
import { lock } from 'proper-lockfile';

/**
 * Builds dist/: the sources as CommonJS, because the ESM loader alone costs a quarter of a bare Node at every start.
 *
 * esbuild splits ES modules only, so that the work is done twice: one pass bundles and splits, every `import()`
 * becoming a file of its own that is loaded when it is reached; a second pass turns each file into CommonJS.
 */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const workshop = join(root, '.tmp');
const target = 'node20.19';

/** A bundled package; its folder is relative to the root. */
interface Package {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

type Inputs = Metafile['outputs'][string]['inputs'];

async function main(): Promise<void> {
  const { outputFiles, metafile } = await bundle();
  const outputs = Object.entries(metafile.outputs).map(([path, { inputs }]) => ({
    id: basename(path),
    name: readableName(path, inputs),
    packages: Object.keys(inputs)
      .map(folderOf)
      .filter((folder) => folder !== undefined),
  }));
  const packages = await readPackages(new Set(outputs.flatMap((output) => output.packages)));
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const files = await Promise.all(
    outputs.map(async (output): Promise<[string, string]> => {
      const contained = packages.filter(({ folder }) => output.packages.includes(folder));
      const text = outputs.reduce(
        (rest, { id, name }) => rest.replaceAll(id, name),
        texts.get(output.id) ?? '',
      );
      // Modules are strict by themselves; CommonJS has to say so.
      return [output.name, `'use strict';${banner(contained)}\n${await toCommonJs(text)}`];
    }),
  );
  await replaceDist(new Map([...files, ['NOTICE.txt', await notice(packages)]]));
}

function bundle() {
  return build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
    mainFields: ['module', 'main'],
  });
}

async function toCommonJs(text: string): Promise<string> {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target,
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    logLevel: 'error',
  });
  return code;
}

/** What others share comes out of esbuild as `chunk-HASH.js`: such a file is called after the largest part of it. */
function readableName(path: string, inputs: Inputs): string {
  const [largest] = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
  const part = largest === undefined ? 'runtime' : (folderOf(largest[0]) ?? largest[0]);
  return basename(path).replace(/^chunk(?=-)/, parse(part).name);
}

function folderOf(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function readPackages(folders: ReadonlySet<string>): Promise<readonly Package[]> {
  return Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(root, folder, 'package.json'), 'utf8'),
      );
      return { folder, name, version, license };
    }),
  );
}

/** Names what is in a file; a test reads it to hold what a start may load. */
function banner(packages: readonly Package[]): string {
  if (packages.length === 0) return '';
  const names = new Set(packages.map(({ name }) => name));
  return ` // contains ${[...names].join(', ')}: see NOTICE.txt`;
}

/** The licences of the packages that are bundled, which ask to be shipped along. */
async function notice(packages: readonly Package[]): Promise<string> {
  const sections = await Promise.all(
    packages.map(async ({ folder, name, version, license }) => {
      const files = await readdir(join(root, folder));
      const file = files.find((each) => /^licen[cs]e(?!.*apache)/i.test(each));
      const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8');
      return `--- ${name} ${version} (${license})\n\n${text.trim()}\n`;
    }),
  );
  return `innctl contains the following packages.\n\n${sections.join('\n')}`;
}

/**
 * Puts the files in place so that at every moment a whole program stands there: each is moved in finished, the entry
 * after those it loads, and what no longer belongs goes last. One build at a time.
 */
async function replaceDist(files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(workshop, { recursive: true });
  await mkdir(dist, { recursive: true });
  const unlock = await lock(dist, {
    lockfilePath: join(workshop, 'build.lock'),
    retries: { retries: 100, minTimeout: 100, maxTimeout: 200 },
  });
  try {
    const fresh = join(workshop, 'build');
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh);
    const entryLast = [...files].sort(([a], [b]) => Number(a === 'main.js') - Number(b === 'main.js'));
    for (const [name, text] of entryLast) await writeFile(join(fresh, name), text);
    for (const [name] of entryLast) await rename(join(fresh, name), join(dist, name));
    for (const name of await readdir(dist)) {
      if (!files.has(name)) await rm(join(dist, name), { recursive: true });
    }
    await rm(fresh, { recursive: true });
  } finally {
    await unlock();
  }
}

await main();
