import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import type { Page } from '../../src/model/records.ts';
import { type Extent, type FetchPage, walk, whole } from '../../src/service/paging.ts';

const hotels = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `H${index + 1}` }));

/** A service that pages as in the contract, and records its requests. */
function service(total: number, stated: number | undefined = total) {
  const requested: string[] = [];
  const fetchPage: FetchPage = async ({ number, size }) => {
    requested.push(`${number}/${size}`);
    return { items: hotels(total).slice((number - 1) * size, number * size), count: stated };
  };
  return { requested, fetchPage };
}

async function collect(fetchPage: FetchPage, extent: Extent) {
  const warnings: string[] = [];
  const pages: Page[] = [];
  const options = {
    idOf: (record: Readonly<Record<string, unknown>>) => record['id'],
    warn: async (sentence: string) => void warnings.push(sentence),
  };
  for await (const page of walk(fetchPage, extent, options)) pages.push(page);
  return {
    ids: pages.flatMap(({ items }) => items.map(({ id }) => id)),
    truncated: pages.at(-1)?.truncated,
    warnings,
  };
}

test.each<[string, number, Extent, string[], number, boolean]>([
  ['all of 250 by default', 250, {}, ['1/100', '2/100', '3/100'], 250, false],
  ['all of exactly one full page, with a request for the next', 100, {}, ['1/100', '2/100'], 100, false],
  ['all of exactly two pages', 200, {}, ['1/100', '2/100'], 200, false],
  ['a limit below the page size', 250, { limit: 5 }, ['1/5'], 5, true],
  ['a limit that is the total', 5, { limit: 5 }, ['1/5'], 5, false],
  ['a limit over several pages', 250, { limit: 150 }, ['1/100', '2/100'], 150, true],
  ['a limit with a page size', 250, { limit: 5, pageSize: 2 }, ['1/2', '2/2', '3/2'], 5, true],
  ['exactly one page', 250, { pageNumber: 3 }, ['3/100'], 50, false],
  ['a page past the end', 250, { pageNumber: 9 }, ['9/100'], 0, false],
  ['an empty list', 0, {}, ['1/100'], 0, false],
])('a walk yields %s', async (_, total, extent, requested, shown, truncated) => {
  const { fetchPage, requested: seen } = service(total);

  const result = await collect(fetchPage, extent);

  expect(seen).toEqual(requested);
  expect({ shown: result.ids.length, truncated: result.truncated, warnings: result.warnings }).toEqual({
    shown,
    truncated,
    warnings: [],
  });
});

test('without a count the walk ends at the first empty page', async () => {
  const requested: number[] = [];
  const fetchPage: FetchPage = async ({ number, size }) => {
    requested.push(number);
    return { items: hotels(150).slice((number - 1) * size, number * size), count: undefined };
  };

  const { ids, warnings } = await collect(fetchPage, {});

  expect({ requested, shown: ids.length, warnings }).toEqual({
    requested: [1, 2, 3],
    shown: 150,
    warnings: [],
  });
});

test.each<[string, number, string[], number, boolean]>([
  ['cut', 3, ['1/2', '2/2'], 2, true],
  ['whole', 2, ['1/2', '2/2'], 2, false],
])(
  'without a count a further page shows whether the limit truncated the list: %s',
  async (_, total, pages, shown, truncated) => {
    const { fetchPage, requested } = service(total);
    const uncounted: FetchPage = async (page) => ({ ...(await fetchPage(page)), count: undefined });

    const result = await collect(uncounted, { limit: 2 });

    expect({ requested, shown: result.ids.length, truncated: result.truncated }).toEqual({
      requested: pages,
      shown,
      truncated,
    });
  },
);

test.each<[string, readonly unknown[]]>([
  ['objects', [{ a: 1 }, { a: 2 }]],
  ['long lists', [[...'a'.repeat(50)], [...'b'.repeat(50)]]],
  ['null', [null]],
  ['numbers and strings', [1, '1']],
])('a page that repeats forever ends the walk, also with ids that are %s', async (_, ids) => {
  let requested = 0;
  const fetchPage: FetchPage = async () => {
    requested += 1;
    return { items: ids.map((id) => ({ id: structuredClone(id) })), count: undefined };
  };

  const result = await collect(fetchPage, {});

  expect({ requested, ids: result.ids }).toEqual({ requested: 2, ids });
});

test('records without an id are compared by all their fields', async () => {
  const records = [{ name: 'Ana' }, { name: 'Ben' }];
  const pages: Page[] = [];

  const options = { idOf: () => undefined, warn: async () => {} };
  const repeated = walk(async () => ({ items: structuredClone(records), count: undefined }), {}, options);
  for await (const page of repeated) pages.push(page);

  expect(pages.map(({ items }) => items)).toEqual([records]);
});

test.each([
  ['the first page', 5, 3],
  ['many pages', 250, 3],
])('a count that is too small does not end the walk early: on %s', async (_, listed, count) => {
  const { fetchPage } = service(listed, count);

  const { ids, warnings } = await collect(fetchPage, { pageSize: 10 });

  expect({ shown: ids.length, warnings }).toEqual({
    shown: listed,
    warnings: [`The service counts ${count} records and listed ${listed}.`],
  });
});

test('a record that moves to the next page during the walk is listed once', async () => {
  const pages = [hotels(3), [{ id: 'H3' }, { id: 'H4' }], []];
  const fetchPage: FetchPage = async ({ number }) => ({ items: pages[number - 1] ?? [], count: 4 });

  expect((await collect(fetchPage, { pageSize: 3 })).ids).toEqual(['H1', 'H2', 'H3', 'H4']);
});

test.each<[string, Extent, readonly (readonly [first: string, size: number])[], boolean]>([
  [
    'without a limit',
    {},
    [
      ['H1', 100],
      ['H101', 20],
    ],
    false,
  ],
  ['a limit', { limit: 2 }, [['H1', 2]], true],
  ['a page', { pageNumber: 2, pageSize: 50 }, [['H51', 50]], false],
  ['a page past the end', { pageNumber: 9 }, [['', 0]], false],
])(
  'a list that the service does not page is cut into pages by the client: %s',
  async (_, extent, shown, truncated) => {
    const pages: Page[] = [];

    const list = Promise.resolve({ items: hotels(120), count: undefined });
    for await (const page of whole(list, extent, async () => {})) pages.push(page);

    expect(pages.map(({ items: [first], ...page }) => ({ first: first?.['id'] ?? '', ...page }))).toEqual(
      shown.map(([first], index) => {
        return { first, total: 120, truncated, whole: index === 0 ? hotels(120) : [] };
      }),
    );
    expect(pages.map(({ items }) => items.length)).toEqual(shown.map(([, size]) => size));
  },
);

/** A service whose pages may be so many bytes; a hotel has one for each star. */
function narrow(stars: readonly number[], bytes: number, cap = Number.POSITIVE_INFINITY) {
  const requested: string[] = [];
  const fetchPage: FetchPage = async ({ number, size }) => {
    requested.push(`${number}/${size}`);
    const shown = Math.min(size, cap);
    const first = (number - 1) * shown;
    if (stars.slice(first, first + shown).reduce((sum, each) => sum + each, 0) > bytes)
      throw new CliError('too_large', 'the answer is too long');
    return { items: hotels(stars.length).slice(first, first + shown), count: stars.length };
  };
  return { requested, fetchPage };
}

const plain = (count: number) => Array.from({ length: count }, () => 1);

test.each<[string, readonly number[], Extent, number, readonly string[]]>([
  ['the first', plain(60), {}, Infinity, ['1/100', '1/50', '1/25', '2/25', '3/25']],
  [
    'a later one',
    [...plain(25), ...plain(30).map(() => 5), ...plain(5)],
    {},
    Infinity,
    ['1/100', '1/50', '1/25', '2/25', '3/12', '5/6', '6/6'],
  ],
  [
    'one of one record',
    [...plain(3), 30, 1, 1],
    { limit: 6 },
    Infinity,
    ['1/6', '1/3', '2/3', '4/1', '5/1', '6/1'],
  ],
  ['of a service that caps pages', plain(70), {}, 40, ['1/100', '1/50', '1/25']],
])(
  'a page that is too large is asked for in halves, and no record is lost: %s',
  async (_, stars, extent, cap, first) => {
    const { fetchPage, requested } = narrow(stars, 30, cap);

    const { ids, warnings } = await collect(fetchPage, extent);

    expect({ ids, warnings }).toEqual({ ids: hotels(stars.length).map(({ id }) => id), warnings: [] });
    expect(requested.slice(0, first.length)).toEqual(first);
  },
);

test.each<[string, readonly number[], Extent, readonly string[]]>([
  ['even of one record', [1, 40], {}, ['1/100', '1/50', '1/25', '1/12', '1/6', '1/3', '1/1', '2/1']],
  ['whose number was given', plain(60), { pageNumber: 1 }, ['1/100']],
  ['whose size was given', plain(60), { pageSize: 40 }, ['1/40']],
])('a page that is too large is an error: %s', async (_, stars, extent, pages) => {
  const { fetchPage, requested } = narrow(stars, 30);

  await expect(collect(fetchPage, extent)).rejects.toMatchObject({ code: 'too_large' });
  expect(requested).toEqual(pages);
});

test('a list that the service does not page is compared with its count', async () => {
  const warnings: string[] = [];
  const list = Promise.resolve({ items: hotels(1), count: 500 });

  for await (const { total } of whole(list, {}, async (sentence) => void warnings.push(sentence))) {
    expect(total).toBe(1);
  }

  expect(warnings).toEqual(['The service counts 500 records and listed 1.']);
});

test.each([
  ['without a count', undefined],
  ['beyond its count', 3],
])('an endless list is an error: %s', async (_, count) => {
  let requested = 0;
  const fetchPage: FetchPage = async ({ number, size }) => {
    requested += 1;
    return {
      items: Array.from({ length: size }, (_, index) => ({ id: number * size + index })),
      count,
    };
  };

  await expect(collect(fetchPage, { pageSize: 100_000 })).rejects.toMatchObject({
    code: 'endless_list',
    exitCode: 1,
    message: 'The service listed more than 500000 records and continues; no more are read.',
  });
  expect(requested).toBe(6);
});

test('ids that differ only after a long common prefix are distinct', async () => {
  const long = 'H'.repeat(10_000);
  const pages = [[{ id: `${long}1` }], [{ id: `${long}2` }], [{ id: `${long}1` }]];
  const fetchPage: FetchPage = async ({ number }) => ({ items: pages[number - 1] ?? [], count: undefined });

  expect((await collect(fetchPage, {})).ids).toEqual([`${long}1`, `${long}2`]);
});

/** A service whose pages are answered when the test resolves them. */
function slowService(total: number) {
  const open = new Map<number, () => void>();
  const fetchPage: FetchPage = ({ number, size }) =>
    new Promise((resolve) => {
      const items = hotels(total).slice((number - 1) * size, number * size);
      open.set(number, () => {
        open.delete(number);
        resolve({ items, count: total });
      });
    });
  return { underWay: () => [...open.keys()], answer: (number: number) => open.get(number)?.(), fetchPage };
}

const idOf = ({ id }: Readonly<Record<string, unknown>>) => id;
const quiet = async () => {};

async function readOne(pages: AsyncGenerator<Page>, slow: ReturnType<typeof slowService>, number: number) {
  const page = pages.next();
  slow.answer(number);
  return (await page).value?.items.map(idOf);
}

test('pages are prefetched once the service has shown that it pages, and yielded in order', async () => {
  const slow = slowService(7);
  const pages = walk(slow.fetchPage, { pageSize: 1 }, { idOf, warn: quiet, ahead: () => 3 });
  await readOne(pages, slow, 1);
  await readOne(pages, slow, 2);

  const third = pages.next();
  expect(slow.underWay()).toEqual([3, 4, 5, 6]);
  for (const number of [6, 5, 4, 3]) slow.answer(number);

  expect((await third).value?.items).toEqual([{ id: 'H3' }]);
  expect(await readOne(pages, slow, 4)).toEqual(['H4']);
  expect(slow.underWay()).toEqual([7]);
});

test.each<[string, Extent, number, number[]]>([
  ['the limit needs', { limit: 4, pageSize: 1 }, 3, [3, 4]],
  ['hold a thousand records', { pageSize: 501 }, 3, [3, 4]],
  ['may be in flight', { pageSize: 1 }, 0, [3]],
])('no more pages are prefetched than %s', async (_, extent, most, begun) => {
  const slow = slowService(5_000);
  const pages = walk(slow.fetchPage, extent, { idOf, warn: quiet, ahead: () => most });
  await readOne(pages, slow, 1);
  await readOne(pages, slow, 2);

  const third = pages.next();
  const underWay = slow.underWay();
  slow.answer(3);
  await third;

  expect(underWay).toEqual(begun);
});

test('the error of a prefetched page is thrown only when its turn comes', async () => {
  const fetchPage: FetchPage = async ({ number }) => {
    if (number === 4) throw new Error('no fourth page');
    return { items: [{ id: `H${number}` }], count: 9 };
  };
  const shown: unknown[] = [];
  const reading = async () => {
    const options = { idOf, warn: quiet, ahead: () => 3 };
    for await (const { items } of walk(fetchPage, { pageSize: 1 }, options)) shown.push(...items);
  };

  await expect(reading()).rejects.toThrow('no fourth page');
  expect(shown).toEqual([{ id: 'H1' }, { id: 'H2' }, { id: 'H3' }]);
});
