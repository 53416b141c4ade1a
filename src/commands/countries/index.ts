import type { Context } from '../../cli/ports.ts';
import { shortListCommands } from '../short-list.ts';

/**
 * `countries list`: in which countries a property may be.
 *
 * GET /inventory/v1/types/countries. The contract does not show the fields; the public service gives bare codes.
 */
export function countriesCommands(context: Context) {
  return shortListCommands(context, {
    name: 'countries',
    singular: 'country',
    operation: 'listCountries',
    description: 'List the countries available for properties.',
    columns: [
      { field: 'code', header: 'Code' },
      { field: 'name', header: 'Name', format: 'language' },
    ],
  });
}
