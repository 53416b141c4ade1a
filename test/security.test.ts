import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| guarantee '))
  .map((line) => line.split(' | '));

test.each(rows)('the tests of a guarantee exist: %s', (guarantee, proofs = '') => {
  const paths = proofs.replace(/ \|$/, '').split(', ');

  expect({ guarantee, missing: paths.filter((path) => !existsSync(path)) }).toEqual({
    guarantee,
    missing: [],
  });
});

test('SECURITY.md names every fault, hostile input and property-based suite', () => {
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
