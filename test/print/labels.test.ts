import { expect, test } from 'vitest';
import { propertyShape, userShape } from '../../src/commands/shapes.ts';
import { kindTable } from '../../src/model/kinds.ts';
import { labelOf } from '../../src/print/labels.ts';

test.each([
  ['subject_id', 'Subject id'],
  ['is_mfa_enabled', 'MFA'],
  ['is_passkeys_enabled', 'Passkeys'],
  ['property_roles', 'Roles by property'],
  ['property_roles.11.roles', 'Roles by property 12 roles'],
  ['properties.0', 'Property 1'],
  ['shift_plans.2.nightShift', 'Shift plan 3 night shift'],
  ['is_on_leave', 'On leave'],
  ['lastSeen', 'Last seen'],
  ['home_url', 'Home URL'],
  ['constructor', 'Constructor'],
  ['__proto__', '__proto__'],
  ['Größe', 'Größe'],
  ['#', '#'],
  ['', ''],
])('the field %s of a user is labelled "%s"', (path, label) => {
  expect(labelOf(path, userShape.columns)).toBe(label);
});

test('every field of a property has a label in words', () => {
  const labels = kindTable.property.fields.map(({ path, type }) =>
    labelOf([...path, ...(type === 'languages' ? ['de'] : [])].join('.'), propertyShape.columns),
  );

  expect(labels).toEqual([
    ...['Code', 'Name (de)', 'Company name', 'Commercial register entry', 'Tax id', 'Address line 1'],
    ...['Postal code', 'City', 'Country', 'Time zone', 'Check-in', 'Check-out', 'Currency'],
    ...['Payment terms (de)', 'Description (de)', 'Managing directors', 'Address line 2', 'Region'],
    ...['IBAN', 'BIC', 'Bank'],
  ]);
});
