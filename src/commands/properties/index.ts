import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  ['list ls', async () => (await import('./list.ts')).listProperties],
  ['get show', async () => (await import('./get.ts')).getProperty],
  ['exists', async () => (await import('./get.ts')).propertyExists],
  ['count', async () => (await import('./get.ts')).countProperties],
  ['create new', async () => (await import('./create.ts')).createProperty],
  ['import', async () => (await import('../apply/apply.ts')).importProperties],
  ['update', async () => (await import('./update.ts')).updateProperty],
  ['edit', async () => (await import('./edit.ts')).editProperty],
  ['delete rm', async () => (await import('./delete.ts')).deleteProperty],
];

/** `properties ...`: manage properties. */
export function propertiesCommands(context: Context, verb: string | undefined) {
  const group = new DescribedCommand('properties', {
    examples: [
      'properties list',
      'properties create --file hotel.yaml',
      'properties update BER --name de=Grandhotel',
    ],
  })
    .alias('property')
    .summary('manage properties')
    .description('Manage the properties (hotels and similar sites) of the account.');
  return withVerbs(group, verbs, context, verb);
}
