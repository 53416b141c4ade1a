import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** What is kept between replays: checkouts by commit, results by build. */
export const workshop = join(root, '.tmp/replay');

/** A checkout with a fresh build. @param name of a folder with a checkout, otherwise a commit, which is built once. */
export function openBuild(name: string): string {
  const isFolder = existsSync(join(name, 'package.json'));
  const folder = isFolder ? resolve(name) : checkOut(name);
  if (isFolder || !existsSync(join(folder, 'dist'))) run('npm', ['run', '--silent', 'build'], folder);
  return folder;
}

/** A digest of all that is part of the program. */
export function digestOf(build: string): string {
  const digest = createHash('sha256');
  for (const part of ['bin', 'dist', 'completions'])
    for (const name of readdirSync(join(build, part)).toSorted())
      digest.update(`${part}/${name}\n`).update(readFileSync(join(build, part, name)));
  return digest.digest('hex').slice(0, 16);
}

function checkOut(name: string): string {
  const commit = run('git', ['rev-parse', '--verify', `${name}^{commit}`], root).trim();
  const folder = join(workshop, commit);
  if (existsSync(join(folder, 'dist'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('sh', ['-c', `git archive ${commit} | tar -x -C '${folder}'`], root);
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  // Hard links, because the bundler resolves a symbolic link and then splits the files otherwise.
  if (lockOf(folder) === lockOf(root)) run('cp', ['-al', join(root, 'node_modules'), folder], root);
  else run('npm', ['ci', '--ignore-scripts'], folder);
  return folder;
}

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
