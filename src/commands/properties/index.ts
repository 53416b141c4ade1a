import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { importProperties } from '../apply/import-properties.ts';
import { countProperties } from './count.ts';
import { createProperty } from './create.ts';
import { deleteProperty } from './delete.ts';
import { getProperty } from './get.ts';
import { listProperties } from './list.ts';
import { updateProperty } from './update.ts';

/** `properties ...`: the hotels of the account. */
export function propertiesCommands(context: Context) {
  return new Command('properties')
    .alias('property')
    .description('Properties: the hotels and similar sites of the account.')
    .addCommand(listProperties(context))
    .addCommand(getProperty(context))
    .addCommand(countProperties(context))
    .addCommand(createProperty(context))
    .addCommand(importProperties(context))
    .addCommand(updateProperty(context))
    .addCommand(deleteProperty(context));
}
