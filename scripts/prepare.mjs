import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Builds dist/ after an installation in a clone. Without the development packages it keeps an existing dist/. */
const built = existsSync(join(import.meta.dirname, '..', 'dist', 'start.js'));

if (hasBuildTools()) {
  // The sources are loaded with both import and require.
  for (const { register } of [await import('tsx/esm/api'), await import('tsx/cjs/api')]) register();
  await import('./build.mts');
  linkBinary();
} else if (!built) {
  process.stderr.write(
    'error: innctl is built from its sources with its development packages, and they are left out.\n' +
      'hint: Run npm ci without --omit=dev, or install the package that npm pack makes.\n',
  );
  process.exitCode = 1;
}

/** npx looks here first; otherwise it would install the clone into its cache at the first run. */
function linkBinary() {
  if (process.platform === 'win32') return;
  const folder = join(import.meta.dirname, '..', 'node_modules', '.bin');
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'innctl'), { force: true });
  symlinkSync('../../bin/innctl.js', join(folder, 'innctl'));
}

function hasBuildTools() {
  const { resolve } = createRequire(import.meta.url);
  try {
    return [resolve('tsx/esm/api'), resolve('rolldown/package.json')].every(existsSync);
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}
