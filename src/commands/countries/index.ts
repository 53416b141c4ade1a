import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { listCountries } from './list.ts';

/** `countries ...`: in which countries a property may be. */
export function countriesCommands(context: Context) {
  return new Command('countries')
    .alias('country')
    .description('Countries in which a property may be.')
    .addCommand(listCountries(context));
}
