import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds dist/ as an installation does, before the tests. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/prepare.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
