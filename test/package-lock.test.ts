import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '../package.json';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync('package-lock.json', 'utf8');
const packages = Object.entries<Locked>(JSON.parse(text).packages).filter(([place]) => place !== '');

test('every package of the lock file has its digest', () => {
  expect(packages.length).toBeGreaterThan(200);
  expect(packages.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity))).toEqual([]);
});

test('the lock file names no registry', () => {
  expect(packages.filter(([, locked]) => 'resolved' in locked)).toEqual([]);
  expect(text).not.toMatch(/registry\.|\.tgz/);
});

test('every optional dependency of a package is in the lock file', () => {
  const places = new Set(packages.map(([place]) => place));
  const optional = packages.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies));

  expect(optional.length).toBeGreaterThan(50);
  expect(optional.filter((name) => !places.has(`node_modules/${name}`))).toEqual([]);
});

test('no package runs a script when it is installed', () => {
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const denied = scripted.map(([place]) => [place.replace('node_modules/', ''), false]);

  expect(manifest.allowScripts).toEqual(Object.fromEntries(denied));
});
