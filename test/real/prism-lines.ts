import type { OperationId } from '../../src/service/operations.ts';

const hotel =
  '--code KIE --name en=Fjord --company-name GmbH --commercial-register-entry HRB --tax-id DE1 --address-line1 Kai ' +
  '--postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin --payment-terms en=Now ' +
  '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR';

/** For each operation a command line that starts with it, with values from the examples of the documents. */
export const lines = {
  listInvitations: 'invitations list',
  createInvitation: 'invitations create mia@example.com --role Housekeeping --properties BER',
  deleteInvitation: 'invitations delete lea@example.com --yes',
  listRoles: 'roles list',
  listUsers: 'users list',
  getUser: 'users get 50ff45e2-9393-4040-8138-a782ce121c13',
  updateUser: 'users update 50ff45e2-9393-4040-8138-a782ce121c13 --first-name Ana',
  getCurrentUser: 'users me',
  listProperties: 'properties list',
  createProperty: `properties create ${hotel}`,
  countProperties: 'properties count',
  getProperty: 'properties get MUC',
  updateProperty: 'properties update MUC --city Potsdam',
  deleteProperty: 'properties delete MUC --confirm MUC',
  listCountries: 'countries list',
  propertyExists: 'properties exists MUC',
} as const satisfies Partial<Record<OperationId, string>>;
