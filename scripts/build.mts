import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, transform } from 'esbuild';

/**
 * Ships the sources as CommonJS: the ESM loader alone costs a quarter of a bare Node at every start.
 *
 * esbuild splits ES modules only, so that the work is done twice: one pass bundles and splits, every `import()`
 * becoming a file of its own that is loaded when it is reached; a second pass turns each file into CommonJS.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = 'node20.19';

async function main(): Promise<void> {
  const { outputFiles, metafile } = await build({
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
    // undici's package entry reaches for everything it has; its parts are loaded one by one.
    mainFields: ['module', 'main'],
  });
  const fresh = join(root, `.dist-${process.pid}`);
  await mkdir(fresh, { recursive: true });
  await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const { code } = await transform(text, {
        format: 'cjs',
        platform: 'node',
        target,
        supported: { 'dynamic-import': false },
        minifyWhitespace: true,
        logLevel: 'error',
      });
      await writeFile(join(fresh, basename(path)), code);
    }),
  );
  await writeFile(join(fresh, 'NOTICE.txt'), await notice(metafile));
  // The folder is replaced whole: a build that fails leaves the old one, and no file of an old build stays behind.
  await rm(join(root, 'dist'), { recursive: true, force: true });
  await rename(fresh, join(root, 'dist'));
}

/** The licences of the packages that are bundled, which ask to be shipped along. */
async function notice(metafile: Metafile): Promise<string> {
  const folders = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0])
    .filter((folder) => folder !== undefined);
  const sections = await Promise.all([...new Set(folders)].sort().map(sectionOf));
  return `innctl contains the following packages.\n\n${sections.join('\n')}`;
}

async function sectionOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const names = ['LICENSE', 'license', 'LICENSE.md', 'LICENSE.txt', 'License.md', 'LICENCE'];
  const texts = await Promise.all(
    names.map((file) => readFile(join(root, folder, file), 'utf8').catch(() => undefined)),
  );
  const text = texts.find((each) => each !== undefined) ?? '';
  return `--- ${name} ${version} (${license})\n\n${text.trim()}\n`;
}

await main();
