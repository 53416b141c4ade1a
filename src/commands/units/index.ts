import { groupOf } from '../options.ts';

const kind = 'unit';

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
    'list ls': async () =>
      (await import('../inventory/reading.ts')).listing(kind, [
        'units list --property BER --group DBL',
        'units list --property BER --condition Dirty --occupied false',
        'units list --status All --json',
      ]),
    'get show': async () =>
      (await import('../inventory/reading.ts')).getting(kind, [
        'units get --property BER 201',
        'units get --property BER 201 202 --json',
        'units get --property BER 201 --languages all --expand actions',
      ]),
    exists: async () =>
      (await import('../inventory/reading.ts')).existing(kind, [
        'units exists BER-LIT',
        'units exists BER-LIT --json',
      ]),
    count: async () =>
      (await import('../inventory/reading.ts')).counting(kind, [
        'units count --property BER',
        'units count --property BER --group DBL --occupied --json',
      ]),
    'create new': async () => (await import('./create.ts')).createUnit,
    update: async () => (await import('./update.ts')).updateUnit,
    'delete rm': async () =>
      (await import('../inventory/ending.ts')).removing(kind, 'delete', {
        examples: [
          'units delete --property BER 201',
          'units delete BER-LIT --confirm BER-LIT --ignore-not-found --json',
        ],
        description: 'Delete a unit permanently. A unit that has reservations can only be archived.',
      }),
    archive: async () =>
      (await import('../inventory/ending.ts')).removing(kind, 'archive', {
        examples: ['units archive --property BER 201', 'units archive BER-LIT --confirm BER-LIT --json'],
        description: 'Archive a unit that cannot be deleted. This cannot be undone.',
      }),
  },
});
