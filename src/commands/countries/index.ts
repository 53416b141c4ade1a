import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { listCountries } from './list.ts';

/** `countries ...`: in which countries a property may be. */
export function countriesCommands(context: Context) {
  return new DescribedCommand('countries', { examples: ['countries list'] })
    .alias('country')
    .summary('list countries')
    .description('List the countries available for properties.')
    .addCommand(listCountries(context));
}
