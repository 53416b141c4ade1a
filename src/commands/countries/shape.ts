import type { Shape } from '../../render/output.ts';

/** How countries are listed. The contract does not show their fields; the public service gives bare codes. */
export const countryShape: Shape = {
  noun: ['country', 'countries'],
  columns: [
    { field: 'code', header: 'Code' },
    { field: 'name', header: 'Name', format: 'language' },
  ],
};
