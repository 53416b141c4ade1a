import { expect, test } from 'vitest';
import { suggest } from '../../src/change/suggest.ts';
import { CliError } from '../../src/model/errors.ts';
import { Interruption } from '../../src/model/ports.ts';
import type { Page } from '../../src/model/records.ts';

const originalError = new CliError('not_found', 'There is nothing.', { status: 404, exitCode: 3 });

const page = (...ids: readonly string[]): Page => ({
  items: ids.map((id) => ({ id })),
  total: undefined,
  truncated: false,
});

async function* pages(first: Page, then: () => Promise<Page>): AsyncGenerator<Page> {
  yield first;
  yield await then();
}

const withSuggestion = (list: AsyncIterable<Page>) =>
  suggest({ words: ['BRE'], resource: { list: () => list }, fields: ['id'] })(originalError).catch(
    (error: unknown) => error,
  );

test('a list that never ends delays the error only briefly, and its first page is used for the hint', async () => {
  const never = () => new Promise<Page>(() => {});

  expect(await withSuggestion(pages(page('BER'), never))).toMatchObject({
    exitCode: 3,
    hint: 'Did you mean BER?',
  });
});

test.each([
  ['cannot be read', new CliError('forbidden', 'no', { status: 403 })],
  ['is interrupted', new Interruption('SIGINT')],
])('a list that %s leaves the error unchanged', async (_, cause) => {
  const failing = pages(page('VIE'), () => Promise.reject(cause));

  expect(await withSuggestion(failing)).toBe(originalError);
});

test('a programming error is not swallowed', async () => {
  const faulty = pages(page('VIE'), () => Promise.reject(new TypeError('broken')));

  expect(await withSuggestion(faulty)).toBeInstanceOf(TypeError);
});
