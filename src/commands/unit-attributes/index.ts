import { groupOf } from '../options.ts';

const kind = 'unit_attribute';

/** `unit-attributes ...`: manage what units may have, such as a balcony. A patch replaces or removes the description. */
export const unitAttributesCommands = groupOf({
  names: 'unit-attributes unit-attribute',
  summary: 'manage unit attributes',
  description:
    'Manage the attributes that units of the account may have, such as a balcony (dialect apaleo).',
  examples: [
    'unit-attributes list',
    'unit-attributes create --name BALCONY --description "With a balcony"',
    'units update --property BER 201 --add-attribute BALCONY',
  ],
  verbs: {
    'list ls': async () =>
      (await import('../inventory/reading.ts')).listing(kind, [
        'unit-attributes list',
        'unit-attributes list --json',
      ]),
    'get show': async () =>
      (await import('../inventory/reading.ts')).getting(kind, [
        'unit-attributes get BWIXREDA',
        'unit-attributes get BWIXREDA --json',
      ]),
    exists: async () =>
      (await import('../inventory/reading.ts')).existing(kind, [
        'unit-attributes exists BWIXREDA',
        'unit-attributes exists BWIXREDA --json',
      ]),
    'create new': async () =>
      (await import('../inventory/creating.ts')).creating(kind, {
        examples: [
          'unit-attributes create --name QUIET --description "Away from the street"',
          'unit-attributes create --file attribute.yaml --if-not-exists --json',
        ],
        description:
          'Create a unit attribute from flags, a file, or both; flags override the file. Prompts for a missing name on a terminal. The name cannot be changed later.',
      }),
    update: async () =>
      (await import('../inventory/update.ts')).updating(kind, {
        examples: [
          'unit-attributes update BWIXREDA --description "Away from the street"',
          'unit-attributes update BWIXREDA --unset description',
        ],
        description: 'Update the description of a unit attribute. Its name is fixed after creation.',
        unset: 'remove this: description',
      }),
    'delete rm': async () =>
      (await import('../inventory/ending.ts')).removing(kind, 'delete', {
        examples: [
          'unit-attributes delete BWIXREDA',
          'unit-attributes delete BWIXREDA --confirm BWIXREDA --ignore-not-found --json',
        ],
        description: 'Delete a unit attribute permanently; units lose it.',
      }),
  },
});
