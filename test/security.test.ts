import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| guarantee '))
  .map((line) => line.split(' | '));

test.each(rows)('a guarantee names its tests: %s', (promise, proofs = '') => {
  const paths = proofs.replace(/ \|$/, '').split(', ');

  expect({ promise, missing: paths.filter((path) => !existsSync(path)) }).toEqual({ promise, missing: [] });
});

test('every suite of faults, and every law of a promise, is named', () => {
  const suites = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^(faults\/.*|.*\/(hostile-|disk-)[^/]*|(.*\/)?[^/]*-laws|real\/(nginx|squid|mitmproxy)[^/]*)\.test\.ts$/.test(
      path,
    ),
  );

  expect(suites.length).toBeGreaterThan(10);
  expect(suites.filter((path) => !rows.some(([, proofs = '']) => proofs.includes(`test/${path}`)))).toEqual(
    [],
  );
});
