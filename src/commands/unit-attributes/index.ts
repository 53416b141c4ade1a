import { groupOf } from '../options.ts';

/** `unit-attributes ...`: manage what units may have, such as a balcony. */
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
    'list ls': async () => (await import('./read.ts')).listUnitAttributes,
    'get show': async () => (await import('./read.ts')).getUnitAttribute,
    exists: async () => (await import('./read.ts')).unitAttributeExists,
    'create new': async () => (await import('./write.ts')).createUnitAttribute,
    update: async () => (await import('./write.ts')).updateUnitAttribute,
    'delete rm': async () => (await import('./write.ts')).deleteUnitAttribute,
  },
});
