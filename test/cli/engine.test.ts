import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** What a process says that sets a flag that there is not, on a V8 of this version. */
function setOn(version: string): string {
  const script = `
    const { setEngineVersion, setEngineFlags } = require('./src/cli/engine.ts');
    setEngineVersion('${version}');
    setEngineFlags('--there-is-no-such-flag');`;
  const args = ['--require', 'tsx/cjs', '--input-type=commonjs', '--eval', script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return `${status} ${stderr}`;
}

test('a V8 that nobody knows yet is left alone', () => {
  expect(setOn('99.1.2.3-node.4')).toBe('0 ');
  expect(setOn('')).toBe('0 ');
});

test('a V8 that is known is told', () => {
  expect(setOn(process.versions.v8)).toMatch(/^0 Error: unrecognized flag --there-is-no-such-flag\b/);
});
