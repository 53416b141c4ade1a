import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds dist/ as an installation does, before any of these tests runs it. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/prepare.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
