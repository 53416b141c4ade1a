import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** The exit code and stderr of a process that sets an unknown V8 flag, for this V8 version. */
function setUnknownFlag(version: string): string {
  const script = `
    const { setEngineVersion, setEngineFlags } = require('./src/cli/engine.ts');
    setEngineVersion('${version}');
    setEngineFlags('--there-is-no-such-flag');`;
  const args = ['--require', 'tsx/cjs', '--input-type=commonjs', '--eval', script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return `${status} ${stderr}`;
}

test('no flags are set on an unknown V8 version', () => {
  expect(setUnknownFlag('99.1.2.3-node.4')).toBe('0 ');
  expect(setUnknownFlag('')).toBe('0 ');
});

test('flags are set on a known V8 version', () => {
  expect(setUnknownFlag(process.versions.v8)).toMatch(
    /^0 Error: unrecognized flag --there-is-no-such-flag\b/,
  );
});
