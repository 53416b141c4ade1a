import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inject } from 'postject';
import { completionFiles } from '../src/reference/shells.ts';
import { bundleStandalone } from './build/bundle.mts';
import { pagesFile } from './build/pages-file.mts';

/**
 * Makes standalone/innctl, an executable for this platform: a copy of the Node that runs this script, with the program and the
 * files of the package inside (a "single executable application" of Node).
 */
const root = join(import.meta.dirname, '..');
const workshop = join(root, '.tmp/standalone');
const folder = join(root, 'standalone');
const executable = join(folder, process.platform === 'win32' ? 'innctl.exe' : 'innctl');

async function main(): Promise<void> {
  mkdirSync(workshop, { recursive: true });
  mkdirSync(folder, { recursive: true });
  const blob = await prepareBlob();
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  if (process.platform === 'darwin') sign('--remove-signature');
  await inject(executable, 'NODE_SEA_BLOB', blob, {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    machoSegmentName: 'NODE_SEA',
  });
  if (process.platform === 'darwin') sign('--sign', '-');
  process.stdout.write(
    `${relative(root, executable)}: ${process.platform} ${process.arch}, Node ${process.version}\n`,
  );
}

/** @returns what Node looks for in its own executable. */
async function prepareBlob(): Promise<Buffer> {
  const at = (name: string) => join(workshop, name);
  writeFileSync(at('innctl.cjs'), await bundleStandalone());
  writeFileSync(at('help.txt'), await pagesFile());
  const completions = Object.values(completionFiles).map((name) => [name, join(root, 'completions', name)]);
  const config = {
    main: at('innctl.cjs'),
    output: at('innctl.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: { 'help.txt': at('help.txt'), ...Object.fromEntries(completions) },
  };
  writeFileSync(at('config.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', at('config.json')], {
    stdio: 'pipe',
  });
  return readFileSync(config.output);
}

/** macOS starts only executables whose signature fits. */
function sign(...words: readonly string[]): void {
  execFileSync('codesign', [...words, executable], { stdio: 'inherit' });
}

await main();
