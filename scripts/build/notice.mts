import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPackage } from './packages.mts';

const root = join(import.meta.dirname, '../..');

/** The licences of the bundled packages, which must be distributed with them. */
export async function notice(packages: readonly BundledPackage[]): Promise<string> {
  const sections = await Promise.all(packages.map(sectionOf));
  return `innctl contains the following packages.\n\n${sections.join('\n')}`;
}

async function sectionOf({ folder, name, version, license }: BundledPackage): Promise<string> {
  const files = await readdir(join(root, folder));
  const file = files.find((each) => /^licen[cs]e(?!.*apache)/i.test(each));
  const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8');
  return `--- ${name} ${version} (${license})\n\n${text.trim()}\n`;
}
