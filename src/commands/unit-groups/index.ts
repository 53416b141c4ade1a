import { groupOf } from '../options.ts';

/** `unit-groups ...`: manage the groups that units are let by. */
export const unitGroupsCommands = groupOf({
  names: 'unit-groups unit-group room-types room-type',
  summary: 'manage unit groups',
  description: 'Manage the unit groups of properties: the kinds of rooms that are let (dialect apaleo).',
  examples: [
    'unit-groups list --property BER',
    'unit-groups create --property BER --code DBL --name en=Double --description en="Queen bed" --max-persons 2',
    'unit-groups update --property BER DBL --rank 2',
  ],
  verbs: {
    'list ls': async () => (await import('./read.ts')).listUnitGroups,
    'get show': async () => (await import('./read.ts')).getUnitGroup,
    exists: async () => (await import('./read.ts')).unitGroupExists,
    count: async () => (await import('./read.ts')).countUnitGroups,
    'create new': async () => (await import('./write.ts')).createUnitGroup,
    update: async () => (await import('./write.ts')).updateUnitGroup,
    'delete rm': async () => (await import('./write.ts')).deleteUnitGroup,
  },
});
