import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| guarantee '))
  .map((line) => line.split(' | '));

/** Each proof is a file and the title of a test in it: `test/a.test.ts "a title"`. */
const proofsOf = (cell: string) =>
  [...cell.matchAll(/(\S+) "([^"]+)"/g)].map(([, path = '', title = '']) => ({ path, title }));

test.each(rows)('a guarantee names tests by their titles: %s', (_, cell = '') => {
  const proofs = proofsOf(cell);

  const missing = proofs.filter(({ path, title }) => {
    const text = readFileSync(path, 'utf8');
    return !["'", '`'].some(
      (mark) => text.includes(`(${mark}${title}${mark},`) || text.includes(`  ${mark}${title}${mark},`),
    );
  });
  expect(missing).toEqual([]);
  expect(proofs.length).toBeGreaterThan(0);
});

test('SECURITY.md names every fault, hostile input and property-based suite', () => {
  const suites = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^(faults\/.*|.*\/(hostile-|disk-)[^/]*|(.*\/)?[^/]*-laws|real\/(nginx|squid|mitmproxy)[^/]*)\.test\.ts$/.test(
      path,
    ),
  );
  const named = rows.flatMap(([, cell = '']) => proofsOf(cell).map(({ path }) => path));

  expect(suites.length).toBeGreaterThan(10);
  expect(suites.filter((path) => !named.includes(`test/${path}`))).toEqual([]);
});
