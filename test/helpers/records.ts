/** What the documents of the public service require of a property. */
export const property = {
  id: 'BER',
  code: 'BER',
  name: 'Grand Hotel',
  companyName: 'Grandhotel GmbH',
  commercialRegisterEntry: 'HRB 1',
  taxId: 'DE1',
  location: { addressLine1: 'Markt 1', postalCode: '10117', city: 'Berlin', countryCode: 'DE' },
  paymentTerms: { en: 'Pay at arrival' },
  timeZone: 'Europe/Berlin',
  currencyCode: 'EUR',
  created: '2024-01-01T00:00:00Z',
  status: 'Test',
  isArchived: false,
  isTemplate: false,
};

/** The same of a user. */
export const user = {
  subjectId: 'a-1',
  firstName: 'Ana',
  lastName: 'Berg',
  email: 'ana@example.com',
  enabled: true,
  isAccountAdmin: false,
  isMfaEnabled: false,
  isPasskeysEnabled: false,
};

/** The same of an invitation. */
export const invitation = {
  email: 'ana@example.com',
  isAccountAdmin: false,
  invitedBy: 'ben@example.com',
  created: '2026-10-01T08:00:00Z',
};

/** The same of a unit group. */
export const unitGroup = {
  id: 'BER-1',
  code: 'DBL',
  name: 'Double',
  description: 'Queen bed',
  memberCount: 1,
  maxPersons: 2,
  type: 'BedRoom',
  property: { id: 'BER' },
};

/** The same of a unit. */
export const unit = {
  id: 'BER-201',
  name: '201',
  description: 'Bed',
  property: { id: 'BER' },
  status: { condition: 'Clean', isOccupied: false },
  maxPersons: 2,
  created: '2024-01-01T00:00:00Z',
};
