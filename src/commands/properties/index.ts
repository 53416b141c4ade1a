import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  { names: ['list', 'ls'], build: async (context) => (await import('./list.ts')).listProperties(context) },
  { names: ['get', 'show'], build: async (context) => (await import('./get.ts')).getProperty(context) },
  { names: ['exists'], build: async (context) => (await import('./exists.ts')).propertyExists(context) },
  { names: ['count'], build: async (context) => (await import('./count.ts')).countProperties(context) },
  {
    names: ['create', 'new'],
    build: async (context) => (await import('./create.ts')).createProperty(context),
  },
  {
    names: ['import'],
    build: async (context) => (await import('../apply/apply.ts')).importProperties(context),
  },
  { names: ['update'], build: async (context) => (await import('./update.ts')).updateProperty(context) },
  { names: ['edit'], build: async (context) => (await import('./edit.ts')).editProperty(context) },
  {
    names: ['delete', 'rm'],
    build: async (context) => (await import('./delete.ts')).deleteProperty(context),
  },
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
