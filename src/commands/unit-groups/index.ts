import { groupOf } from '../options.ts';

const kind = 'unit_group';

/** `unit-groups ...`: manage the groups that units are let by. The id, and type, code and composition are fixed from creation on. */
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
    'list ls': async () =>
      (await import('../inventory/reading.ts')).listing(kind, [
        'unit-groups list --property BER',
        'unit-groups list --type BedRoom,MeetingRoom --json',
        'unit-groups list --expand connectedUnitGroups -o ndjson',
      ]),
    'get show': async () =>
      (await import('../inventory/reading.ts')).getting(kind, [
        'unit-groups get BER-DBL',
        'unit-groups get --property BER DBL --languages all',
        'unit-groups get BER-DBL --expand connectedUnitGroups --json',
      ]),
    exists: async () =>
      (await import('../inventory/reading.ts')).existing(kind, [
        'unit-groups exists BER-DBL',
        'unit-groups exists BER-DBL --json',
      ]),
    count: async () =>
      (await import('../inventory/reading.ts')).counting(kind, [
        'unit-groups count --property BER',
        'unit-groups count --type BedRoom --json',
      ]),
    'create new': async () =>
      (await import('../inventory/creating.ts')).creating(kind, {
        examples: [
          'unit-groups create --property BER --code TRP --name en=Triple --description en="Three beds" --max-persons 3',
          'unit-groups create --like BER-DBL --property MUC --code TRP --name en=Triple',
          'unit-groups create --file group.yaml --if-not-exists --json',
        ],
        description:
          'Create a unit group from flags, a file, or both; flags override the file. Prompts for missing values on a terminal. Property, code, type and connected groups cannot be changed later.',
      }),
    update: async () =>
      (await import('../inventory/update.ts')).updating(kind, {
        examples: [
          'unit-groups update BER-DBL --name de=Doppelzimmer --rank 2',
          'unit-groups update --property BER DBL --description en="Queen bed" --dry-run',
          'unit-groups update BER-DBL --unset name.de,rank',
        ],
        description:
          'Update a unit group; what is not given stays. Property, code, type and connected groups are fixed after creation.',
        unset: 'remove these: rank, name.de, description.de (repeatable)',
      }),
    'delete rm': async () =>
      (await import('../inventory/ending.ts')).removing(kind, 'delete', {
        examples: [
          'unit-groups delete BER-DBL',
          'unit-groups delete --property BER DBL --confirm BER-DBL',
          'unit-groups delete BER-DBL --confirm BER-DBL --ignore-not-found --json',
        ],
        description: 'Delete a unit group permanently.',
      }),
  },
});
