import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { importProperties } from '../apply/import-properties.ts';
import { countProperties } from './count.ts';
import { createProperty } from './create.ts';
import { deleteProperty } from './delete.ts';
import { editProperty } from './edit.ts';
import { getProperty } from './get.ts';
import { listProperties } from './list.ts';
import { updateProperty } from './update.ts';

/** `properties ...`: the hotels of the account. */
export function propertiesCommands(context: Context) {
  return new DescribedCommand('properties', {
    examples: [
      'properties list',
      'properties create --file hotel.yaml',
      'properties update BER --name de=Grandhotel',
    ],
  })
    .alias('property')
    .summary('hotels and similar sites of the account')
    .description('Properties: the hotels and similar sites of the account.')
    .addCommand(listProperties(context))
    .addCommand(getProperty(context))
    .addCommand(countProperties(context))
    .addCommand(createProperty(context))
    .addCommand(importProperties(context))
    .addCommand(updateProperty(context))
    .addCommand(editProperty(context))
    .addCommand(deleteProperty(context));
}
