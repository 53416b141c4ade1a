import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { Interruption } from '../../src/cli/ports.ts';
import { suggest } from '../../src/commands/suggest.ts';
import type { Page } from '../../src/model/records.ts';

const refusal = new CliError('not_found', 'There is nothing.', { status: 404, exitCode: 3 });

const page = (...ids: readonly string[]): Page => ({
  items: ids.map((id) => ({ id })),
  total: undefined,
  truncated: false,
});

async function* pages(first: Page, then: () => Promise<Page>): AsyncGenerator<Page> {
  yield first;
  yield await then();
}

const refused = (list: AsyncIterable<Page>) =>
  suggest({ words: ['BRE'], resource: { list: () => list }, fields: ['id'] })(refusal).catch(
    (error: unknown) => error,
  );

test('a list that never ends keeps the refusal back for a moment only, and what it showed is used', async () => {
  const never = () => new Promise<Page>(() => {});

  expect(await refused(pages(page('BER'), never))).toMatchObject({
    exitCode: 3,
    hint: 'Did you mean BER?',
  });
});

test.each([
  ['cannot be read', new CliError('forbidden', 'no', { status: 403 })],
  ['is interrupted', new Interruption('SIGINT')],
])('a list that %s leaves the refusal as it is', async (_, cause) => {
  const failing = pages(page('VIE'), () => Promise.reject(cause));

  expect(await refused(failing)).toBe(refusal);
});

test('a fault of the program is not swallowed', async () => {
  const faulty = pages(page('VIE'), () => Promise.reject(new TypeError('broken')));

  expect(await refused(faulty)).toBeInstanceOf(TypeError);
});
