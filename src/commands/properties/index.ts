import { groupOf } from '../options.ts';

/** `properties ...`: manage properties. */
export const propertiesCommands = groupOf({
  names: 'properties property hotels hotel',
  summary: 'manage properties',
  description: 'Manage the properties (hotels and similar sites) of the account.',
  examples: [
    'properties list',
    'properties create --file hotel.yaml',
    'properties update BER --name de=Grandhotel',
  ],
  verbs: {
    'list ls': async () => (await import('./get.ts')).listProperties,
    'get show': async () => (await import('./get.ts')).getProperty,
    exists: async () => (await import('./get.ts')).propertyExists,
    count: async () => (await import('./get.ts')).countProperties,
    'create new': async () => (await import('./create.ts')).createProperty,
    update: async () => (await import('./update.ts')).updateProperty,
    'clone copy': async () => (await import('./create.ts')).cloneProperty,
    'set-live': async () => (await import('./life.ts')).setPropertyLive,
    archive: async () => (await import('./life.ts')).archiveProperty,
    reset: async () => (await import('./life.ts')).resetProperty,
    'delete rm': async () => (await import('./life.ts')).deleteProperty,
  },
});
