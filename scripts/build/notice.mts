import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The licences of the bundled packages, which must be distributed with them.
 *
 * @param folders of the packages, relative to the root.
 */
export async function notice(folders: readonly string[]): Promise<string> {
  const sections = await Promise.all(folders.toSorted().map(sectionOf));
  return `innctl contains the following packages.\n\n${sections.join('\n')}`;
}

async function sectionOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const files = await readdir(join(root, folder));
  const file = files.find((each) => /^licen[cs]e(?!.*apache)/i.test(each));
  const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8');
  return `--- ${name} ${version} (${license})\n\n${text.trim()}\n`;
}
