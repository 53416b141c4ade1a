import { groupOf } from '../options.ts';

/** `units ...`: manage the rooms of a property, and whatever else it lets. */
export const unitsCommands = groupOf({
  names: 'units unit rooms room',
  summary: 'manage units',
  description: 'Manage the units of properties: rooms, beds, parking lots (dialect apaleo).',
  examples: [
    'units list --property BER --group DBL',
    'units create --property BER --group DBL --names 501..528 --description en="Queen bed" --max-persons 2',
    'units update --property BER 201 202 --condition Clean',
  ],
  verbs: {
    'list ls': async () => (await import('./read.ts')).listUnits,
    'get show': async () => (await import('./read.ts')).getUnit,
    exists: async () => (await import('./read.ts')).unitExists,
    count: async () => (await import('./read.ts')).countUnits,
    'create new': async () => (await import('./create.ts')).createUnit,
    update: async () => (await import('./update.ts')).updateUnit,
    'delete rm': async () => (await import('./delete.ts')).deleteUnit,
    archive: async () => (await import('./delete.ts')).archiveUnit,
  },
});
