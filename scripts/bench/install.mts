import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { timeOf } from './process.mts';
import type { Chapter, Package } from './report.mts';
import { measure } from './rounds.mts';
import { bareNode, effortOf, root, type Stage, surroundingsOf, way } from './stage.mts';

const EFFORT = { rounds: 7, seconds: 30 };

/** The output of `npm pack --json` for one package. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** `npm install --global` of the tarball, each time into an empty folder, with an empty cache and offline. */
export async function measureInstall(stage: Stage): Promise<Chapter> {
  const environment = 'clean';
  const surroundings = surroundingsOf(stage, environment);
  const { tarball, contents } = pack(stage.folder);
  const install = {
    name: 'npm install',
    run: () => {
      const prefix = mkdtempSync(join(stage.folder, 'prefix-'));
      const folders = ['--prefix', prefix, '--cache', join(prefix, 'cache')];
      const ms = timeOf(['npm', 'install', '--global', '--offline', ...folders, tarball], surroundings);
      rmSync(prefix, { recursive: true });
      return { ms };
    },
  };
  const npm = way('npm --version', ['npm', '--version'], surroundings);
  const task = { name: 'an installation', ways: [install, npm] };
  const figures = await measure(bareNode(surroundings), [task], effortOf(stage, EFFORT));
  return { title: 'The installation', environment, figures, package: contents };
}

/** Packs the built program. */
function pack(folder: string): { readonly tarball: string; readonly contents: Package } {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed]: readonly Packed[] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  if (packed === undefined) throw new Error('npm packed nothing.');
  const { filename, size, unpackedSize, files } = packed;
  const others = files.filter(({ path }) => !/^completions\/|\.[1-9]$/.test(path));
  return {
    tarball: join(folder, filename),
    contents: {
      tarballBytes: size,
      unpackedBytes: unpackedSize,
      files: files.length,
      otherFiles: others.length,
    },
  };
}
