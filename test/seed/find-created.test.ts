import { expect, test } from 'vitest';
import { findCreated } from '../../src/seed/property-index.ts';
import { serviceOf } from './plan-service.ts';

test('a duplicate code is neither found nor absent', async () => {
  const twice = ['P-1', 'P-2'].map((id) => ({ id, code: 'HAM' }));

  const found = await findCreated(['HAM', 'KIE'], serviceOf({ properties: twice }).api);

  expect([...found.ids]).toEqual([]);
  expect([found.absent.has('HAM'), found.absent.has('KIE')]).toEqual([false, true]);
});

test('when the list shows no codes, only properties whose id is the code are read', async () => {
  const properties = ['HAM', 'P-2', 'P-3'].map((id) => ({ id, code: id }));
  const { api, reads } = serviceOf({ properties, listed: properties.map(({ id }) => ({ id })) });

  const found = await findCreated(['HAM', 'KIE'], api);

  expect({ ids: [...found.ids], reads }).toEqual({ ids: [['HAM', 'HAM']], reads: ['HAM'] });
  expect(found.absent.has('KIE')).toBe(false);
});
