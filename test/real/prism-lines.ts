import type { OperationId } from '../../src/service/operations.ts';

const hotel =
  '--code KIE --name en=Fjord --company-name GmbH --commercial-register-entry HRB --tax-id DE1 --address-line1 Kai ' +
  '--postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin --payment-terms en=Now ' +
  '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR';

const times = '--default-check-in-time 15:00 --default-check-out-time 11:00';

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
  cloneProperty: `properties clone MUC --code KIE --name en=Fjord ${times}`,
  setPropertyLive: 'properties set-live MUC --confirm MUC',
  archiveProperty: 'properties archive MUC --confirm MUC',
  resetProperty: 'properties reset MUC --confirm MUC',
  listUnitGroups: 'unit-groups list --property MUC',
  countUnitGroups: 'unit-groups count --property MUC',
  unitGroupExists: 'unit-groups exists MUC-DBL',
  getUnitGroup: 'unit-groups get MUC-DBL',
  createUnitGroup:
    'unit-groups create --property MUC --code TWN --name en=Double --description en=Large --max-persons 2',
  replaceUnitGroup: 'unit-groups update MUC-DBL --rank 1',
  deleteUnitGroup: 'unit-groups delete MUC-DBL --confirm MUC-DBL',
  listUnits: 'units list --property MUC',
  countUnits: 'units count --property MUC',
  unitExists: 'units exists MUC-XYZ',
  getUnit: 'units get MUC-XYZ',
  createUnit: 'units create --property MUC --name 101 --description en=Quiet --max-persons 2',
  createUnits: 'units create --property MUC --names 201..203 --description en=Quiet --max-persons 2',
  updateUnit: 'units update MUC-MTA --max-persons 9',
  updateUnits: 'units update MUC-MTA MUC-ABC --max-persons 9 --yes',
  deleteUnit: 'units delete MUC-XYZ --confirm MUC-XYZ',
  archiveUnit: 'units archive MUC-XYZ --confirm MUC-XYZ',
  listUnitAttributes: 'unit-attributes list',
  unitAttributeExists: 'unit-attributes exists QUIET',
  getUnitAttribute: 'unit-attributes get QUIET',
  createUnitAttribute: 'unit-attributes create --name QUIET --description Quiet',
  updateUnitAttribute: 'unit-attributes update KQOSXHLS --description Quiet',
  deleteUnitAttribute: 'unit-attributes delete QUIET --confirm QUIET',
} as const satisfies Record<OperationId, string>;

/** What the mock cannot carry out: it shows the same unit for every id. */
export const beyondMock: ReadonlySet<OperationId> = new Set(['updateUnits']);
