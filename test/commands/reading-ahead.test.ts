import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { httpServer } from '../helpers/servers.ts';

const pageOf = (url = '') => Number(new URL(url, 'http://x').searchParams.get('page_number'));

const listAll = (origin: string) =>
  cli('properties list --all --page-size 1 -o ndjson', {
    connect: connectUndici,
    env: {
      INNCTL_IDENTITY_URL: origin,
      INNCTL_BASE_URL: origin,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
    },
  });

test('a list that fails does not wait for prefetch requests in flight', async () => {
  const asked = new Set<number>();
  await using server = await httpServer(({ url }, answer) => {
    const page = pageOf(url);
    asked.add(page);
    if (page < 3) answer.end(JSON.stringify({ count: 9, items: [{ id: `H${page}`, name: 'H' }] }));
    // The fourth page and later ones are never answered.
    if (page === 3) answer.writeHead(403).end();
  });

  const { exitCode, stdout } = await listAll(server.origin);

  expect({ exitCode, stdout }).toEqual({
    exitCode: 5,
    stdout: '{"id":"H1","name":"H"}\n{"id":"H2","name":"H"}\n',
  });
  expect(Math.max(...asked)).toBeLessThanOrEqual(6);
});
