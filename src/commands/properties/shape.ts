import type { Shape } from '../../out/output.ts';

/** How properties are listed: the contract shows id and name in lists, the public service the rest. */
export const propertyShape: Shape = {
  noun: ['property', 'properties'],
  columns: [
    { field: 'id', header: 'Id' },
    { field: 'name', header: 'Name', format: 'language' },
    { field: 'location.city', header: 'City' },
    { field: 'location.country_code', header: 'Country' },
    { field: 'currency_code', header: 'Currency' },
    { field: 'status', header: 'Status' },
  ],
};
