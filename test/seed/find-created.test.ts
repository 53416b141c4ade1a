import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { itemFor } from '../../src/seed/item.ts';
import { lookFor } from '../../src/seed/look-for.ts';
import { serviceOf } from './plan-service.ts';

async function idsOf(codes: readonly string[], api: ReturnType<typeof serviceOf>['api']) {
  const items = codes.map((name) => itemFor({ kind: 'property', name }, 'create'));
  const { all } = await lookFor(items, () => '', api);
  return items.map((item) => [item.name, all.get(item)]);
}

test('a duplicate code has both ids, and a missing one none', async () => {
  const twice = ['P-1', 'P-2'].map((id) => ({ id, code: 'HAM' }));

  const found = await idsOf(['HAM', 'KIE'], serviceOf({ properties: twice }).api);

  expect(found).toEqual([
    ['HAM', ['P-1', 'P-2']],
    ['KIE', []],
  ]);
});

test('when the list shows no codes, those whose id is the code are read, and one that fails is not found', async () => {
  const properties = ['BER', 'MUC', 'P-3'].map((id) => ({ id, code: id }));
  const failing = { BER: new CliError('service_error', 'It is broken.', { status: 500 }) };
  const listed = properties.map(({ id }) => ({ id }));
  const { api, reads } = serviceOf({ properties, listed, failing });

  expect(await idsOf(['BER', 'MUC', 'KIE'], api)).toEqual([
    ['BER', []],
    ['MUC', ['MUC']],
    ['KIE', []],
  ]);
  expect(reads).toEqual(['BER', 'MUC']);
});
