import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { TREE } from '../src/cli/start.ts';
import { completionFiles } from '../src/reference/values.ts';
import { bundleStandalone } from './build/bundle.mts';
import { treeFile } from './build/tree-file.mts';

/**
 * Makes standalone/innctl, an executable for this platform: a copy of the Node that runs this script, with the program and the
 * files of the package inside (a "single executable application" of Node). standalone/NOTICE has the licences of both.
 */
const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '..');
const workshop = join(root, '.tmp/standalone');
const folder = join(root, 'standalone');
const name = process.platform === 'win32' ? 'innctl.exe' : 'innctl';
const draft = join(workshop, name);
const executable = join(folder, name);

async function main(): Promise<void> {
  mkdirSync(workshop, { recursive: true });
  mkdirSync(folder, { recursive: true });
  const blob = await prepareBlob();
  copyFileSync(process.execPath, draft);
  chmodSync(draft, 0o755);
  // The symbols of Node are a seventh of it. Afterwards there would be no fuse to find.
  if (process.platform === 'linux') run('strip', draft);
  if (process.platform === 'darwin') run('codesign', '--remove-signature', draft);
  run(
    process.execPath,
    require.resolve('postject/dist/cli.js'),
    draft,
    ...['NODE_SEA_BLOB', blob],
    ...['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'],
    ...['--macho-segment-name', 'NODE_SEA'],
  );
  // macOS starts only executables whose signature fits.
  if (process.platform === 'darwin') run('codesign', '--sign', '-', draft);
  renameSync(draft, executable);
  writeFileSync(join(folder, 'NOTICE'), licences());
  process.stdout.write(`${report()}\n`);
}

/** @returns the path of what Node looks for in its own executable. */
async function prepareBlob(): Promise<string> {
  const at = (file: string) => join(workshop, file);
  writeFileSync(at('innctl.cjs'), await bundleStandalone());
  writeFileSync(at(TREE), await treeFile());
  const completions = Object.values(completionFiles).map((file) => [file, join(root, 'completions', file)]);
  const config = {
    main: at('innctl.cjs'),
    output: at('innctl.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: { [TREE]: at(TREE), ...Object.fromEntries(completions) },
  };
  writeFileSync(at('config.json'), JSON.stringify(config));
  run(process.execPath, '--experimental-sea-config', at('config.json'));
  return config.output;
}

/** NOTICE and the licence of Node, which a Node of a distribution comes without. */
function licences(): string {
  const ours = readFileSync(join(root, 'NOTICE'), 'utf8');
  const bin = dirname(process.execPath);
  const file = [join(bin, '../LICENSE'), join(bin, 'LICENSE')].find((path) => existsSync(path));
  return file === undefined
    ? ours
    : `${ours}\n--- Node.js ${process.version}\n\n${readFileSync(file, 'utf8')}`;
}

/** Prints nothing, unless the program fails. */
function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}

/** What was made, how large it is, and how long it takes to start (the middle of nine times). */
function report(): string {
  const times = Array.from({ length: 9 }, () => {
    const begun = performance.now();
    run(executable, '--version');
    return performance.now() - begun;
  });
  const middle = times.toSorted((one, other) => one - other)[4] ?? 0;
  const megabytes = Math.round(statSync(executable).size / 1e6);
  const { platform, arch, version } = process;
  return `${relative(root, executable)}: ${megabytes} MB, --version in ${Math.round(middle)} ms (${platform} ${arch}, Node ${version})`;
}

await main();
