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

test('prefetched pages are printed in page order even when they arrive out of order', async () => {
  const late: (() => void)[] = [];
  await using server = await httpServer(({ url }, answer) => {
    const page = pageOf(url);
    const send = () => answer.end(JSON.stringify({ count: 6, items: [{ id: `H${page}`, name: 'H' }] }));
    // From the third page on four requests are in flight: they are answered in reverse order.
    if (page < 3) send();
    else late.push(send);
    if (late.length === 4) for (const each of late.reverse()) each();
  });

  const { stdout } = await listAll(server.origin);

  expect(stdout).toBe([1, 2, 3, 4, 5, 6].map((page) => `{"id":"H${page}","name":"H"}\n`).join(''));
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
