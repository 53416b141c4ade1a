import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const OLD_MS = 60_000;

/** What conf writes before it renames, and the tombstones of dead locks. */
const leftover = /^(config|credentials)\.json\.(tmp-\d{10}[0-9a-f]{6}|lock\.\d+-\d+)$/;

/** Removes what processes that were killed left behind in the folder. What is younger than a minute may be in use. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => leftover.test(each))) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > OLD_MS)
      rmSync(path, { force: true, recursive: true });
  }
}
