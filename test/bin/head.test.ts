import { expect, test } from 'vitest';
import { binary, openHome } from './home.ts';

test.each([
  'invitations list --json',
  'roles list --all',
  'users list --all',
  'users list --all --json',
  'properties list --all -o ndjson',
  'countries list --all',
  'countries list --all -o table',
  'api GET /inventory/v1/properties --paginate -o ndjson',
])('a reader that closes the pipe after one line ends the list with exit 0: %s', async (line) => {
  await using home = await openHome();
  const seed = line.startsWith('invitations') ? 'small' : 'chain';
  await home.innctl(['sandbox', 'reset', '--seed', seed]);
  const pipeline = `{ "$0" "$1" --sandbox ${line}; echo "innctl ended with $?" >&2; } | head -n 1`;

  const { exitCode, stdout, stderr } = await home.run(['sh', '-c', pipeline, process.execPath, binary]);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'innctl ended with 0\n' });
  expect(stdout.split('\n')).toHaveLength(2);
});
