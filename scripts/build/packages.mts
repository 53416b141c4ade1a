import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle } from './bundle.mts';

const root = join(import.meta.dirname, '../..');

/** A package of which the program contains a part. */
export interface BundledPackage {
  /** Relative to the root. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
}

/** The packages of the bundles, by the modules in them, sorted. */
export function packagesOf(bundles: readonly Bundle[]): Promise<readonly BundledPackage[]> {
  const folders = [...new Set(bundles.flatMap(({ packages }) => packages))].toSorted();
  return Promise.all(
    folders.map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(root, folder, 'package.json'), 'utf8'),
      );
      return { folder, name, version, license };
    }),
  );
}
