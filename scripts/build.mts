import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TREE } from '../src/cli/start.ts';
import { withLock } from '../src/fs/lock.ts';
import { bundleProgram } from './build/bundle.mts';
import { notice } from './build/notice.mts';
import { packagesOf } from './build/packages.mts';
import { treeFile } from './build/tree-file.mts';

/** Builds dist/: a few CommonJS files and the command tree for completions; and NOTICE. */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const workshop = join(root, '.tmp');

async function main(): Promise<void> {
  const bundles = await bundleProgram();
  const files = new Map<string, string>([
    ...bundles.map(({ name, code }): [string, string] => [name, code]),
    [TREE, await treeFile()],
  ]);
  const licences = await notice(await packagesOf(bundles));
  await mkdir(workshop, { recursive: true });
  await mkdir(dist, { recursive: true });
  await withLock(join(workshop, 'dist'), async () => {
    await replaceDist(files);
    await writeFile(join(workshop, 'NOTICE'), licences);
    await rename(join(workshop, 'NOTICE'), join(root, 'NOTICE'));
  });
}

/**
 * Replaces the files so that the program is complete at every moment: each file is renamed when finished, the entry
 * after the files that it loads, and old files are deleted last.
 */
async function replaceDist(files: ReadonlyMap<string, string>): Promise<void> {
  const fresh = join(workshop, 'build');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh);
  const entryLast = [...files].sort(([a], [b]) => Number(a === 'start.js') - Number(b === 'start.js'));
  for (const [name, text] of entryLast) await writeFile(join(fresh, name), text);
  const before = await readdir(dist);
  const names = entryLast.map(([name]) => name);
  for (const name of names) await rename(join(fresh, name), join(dist, name));
  for (const name of before) if (!names.includes(name)) await rm(join(dist, name), { recursive: true });
  await rm(fresh, { recursive: true });
}

await main();
