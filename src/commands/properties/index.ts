import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { createProperty } from './create.ts';
import { listProperties } from './list.ts';

/** `properties ...`: the hotels of the account. */
export function propertiesCommands(context: Context) {
  return new Command('properties')
    .alias('property')
    .description('Properties: the hotels and similar sites of the account.')
    .addCommand(listProperties(context))
    .addCommand(createProperty(context));
}
