import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../../src/model/records.ts';
import { allOf, type CommandModel } from '../../src/reference/model.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import { commandModel } from '../reference/tree.ts';
import { type DescribedOperation, modelsIn, openDescriptions, operationOf } from './prism-documents.ts';
import { lines } from './prism-lines.ts';

const descriptions = openDescriptions();
const described = descriptions.flatMap((each) => each.operations);
const definitions = Object.assign({}, ...descriptions.map((each) => each.definitions));
const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const commands = allOf(await commandModel());

/** Documented names, and the flag or argument that gives each. */
type Reached = Readonly<Record<string, string>>;

const pages: Reached = { pageNumber: '--page-number', pageSize: '--page-size' };
/** The steps of a patch that no field flag makes. */
const steps: Reached = { op: '--patch', path: '--patch', value: '--patch', from: '--patch' };
const actions: Reached = { expand: '--expand', 'expand=actions': '--expand' };
const languages: Reached = { languages: '--languages' };

const propertyFields: Reached = {
  code: '--code',
  name: '--name',
  companyName: '--company-name',
  managingDirectors: '--managing-directors',
  commercialRegisterEntry: '--commercial-register-entry',
  taxId: '--tax-id',
  description: '--description',
  'location.addressLine1': '--address-line1',
  'location.addressLine2': '--address-line2',
  'location.postalCode': '--postal-code',
  'location.city': '--city',
  'location.regionCode': '--region-code',
  'location.countryCode': '--country-code',
  'bankAccount.iban': '--iban',
  'bankAccount.bic': '--bic',
  'bankAccount.bank': '--bank',
  paymentTerms: '--payment-terms',
  timeZone: '--time-zone',
  defaultCheckInTime: '--default-check-in-time',
  defaultCheckOutTime: '--default-check-out-time',
  currencyCode: '--currency-code',
};

const groupFilters: Reached = { propertyId: '--property', unitGroupTypes: '--type' };
const groupViews: Reached = {
  expand: '--expand',
  'expand=property': '--expand',
  'expand=connectedUnitGroups': '--expand',
};
const groupFields: Reached = {
  name: '--name',
  description: '--description',
  maxPersons: '--max-persons',
  rank: '--rank',
};

const unitFilters: Reached = {
  propertyId: '--property',
  unitGroupIds: '--group',
  unitAttributeIds: '--attribute',
  isOccupied: '--occupied',
  maintenanceType: '--maintenance',
  condition: '--condition',
  textSearch: '--search',
  status: '--status',
};
const unitViews: Reached = {
  ...actions,
  'expand=property': '--expand',
  'expand=unitGroup': '--expand',
  'expand=connectedUnits': '--expand',
};
const unitFields: Reached = {
  propertyId: '--property',
  name: '--name',
  description: '--description',
  unitGroupId: '--group',
  maxPersons: '--max-persons',
  condition: '--condition',
  'attributes.id': '--attribute',
  'connectedUnits.unitId': '--connects',
};
const unitChanges: Reached = {
  '/condition': '--condition',
  '/description': '--description',
  '/name': '--name',
  '/unitgroupid': '--group',
  '/maxpersons': '--max-persons',
  '/attributes': '--add-attribute',
};

/**
 * The names of each operation in the documents: query parameters, `expand=value`, fields of the body with dots between them,
 * and `/field` for what a patch may change.
 */
const reached: Readonly<Record<OperationId, Reached>> = {
  listInvitations: { propertyId: '--property' },
  createInvitation: {
    email: '<email>',
    properties: '--properties',
    isAccountAdmin: '--is-account-admin',
    roles: '--roles',
    role: '--role',
  },
  deleteInvitation: {},
  listRoles: {},
  listUsers: {
    ...pages,
    propertyIds: '--property',
    email: '--email',
    enabled: '--enabled',
    sort: '--sort',
  },
  getUser: {},
  updateUser: {
    ...steps,
    '/firstname': '--first-name',
    '/lastname': '--last-name',
    '/isaccountadmin': '--is-account-admin',
    '/enabled': '--enable',
    '/properties': '--set-properties',
  },
  getCurrentUser: {},
  listProperties: {
    ...pages,
    ...actions,
    status: '--status',
    includeArchived: '--include-archived',
    countryCode: '--country-code',
  },
  createProperty: propertyFields,
  countProperties: {},
  getProperty: { ...languages, ...actions },
  propertyExists: {},
  updateProperty: {
    ...steps,
    '/name': '--name',
    '/description': '--description',
    '/companyname': '--company-name',
    '/managingdirectors': '--managing-directors',
    '/commercialregisterentry': '--commercial-register-entry',
    '/taxid': '--tax-id',
    '/location': '--city',
    '/bankaccount': '--iban',
    '/paymentterms': '--payment-terms',
    '/istemplate': '--is-template',
  },
  deleteProperty: {},
  cloneProperty: propertyFields,
  setPropertyLive: {},
  archiveProperty: {},
  resetProperty: {},
  listCountries: {},
  listUnitGroups: { ...pages, ...groupFilters, ...groupViews },
  countUnitGroups: groupFilters,
  unitGroupExists: {},
  getUnitGroup: { ...languages, ...groupViews },
  createUnitGroup: {
    ...groupFields,
    code: '--code',
    propertyId: '--property',
    type: '--type',
    'connectedUnitGroups.unitGroupId': '--connected',
    'connectedUnitGroups.memberCount': '--connected',
  },
  replaceUnitGroup: groupFields,
  deleteUnitGroup: {},
  listUnits: { ...pages, ...unitFilters, ...unitViews },
  countUnits: unitFilters,
  unitExists: {},
  getUnit: { ...languages, ...unitViews },
  createUnit: unitFields,
  createUnits: {
    ...Object.fromEntries(Object.entries(unitFields).map(([name, flag]) => [`units.${name}`, flag])),
    'units.name': '--names',
  },
  updateUnit: unitChanges,
  updateUnits: { ...unitChanges, unitIds: '<id>' },
  deleteUnit: {},
  archiveUnit: {},
  listUnitAttributes: pages,
  unitAttributeExists: {},
  getUnitAttribute: {},
  createUnitAttribute: { name: '--name', description: '--description' },
  updateUnitAttribute: { '/description': '--description' },
  deleteUnitAttribute: {},
};

// The keys of the table are the ids.
const ids = Object.keys(operations) as OperationId[];

/** The rows of the page's table of what no command line has, by operation. */
const excused = new Map(
  ids.map((id) => {
    const request = `${operations[id].method} ${apaleo.path(id)}`;
    const names = [...page.matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \|$/gm)]
      .filter(([, operation = '', , why = '']) => operation === request && why.length > 20)
      .flatMap(([, , cell = '']) => [...cell.matchAll(/`(.+?)`/g)].map(([, name = '']) => name));
    return [id, names];
  }),
);

test('every operation of both documents is one of ours', () => {
  const ours = ids.map((id) => operationOf(described, operations[id].method, apaleo.path(id)));

  expect(described).toHaveLength(43);
  expect(new Set(ours)).toEqual(new Set(described));
});

test('every operation is in the page with its command, which exists', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \| `(\S+) \{\w+\}(\S+)`(?:; dialect apaleo: `(\S+)`)? \|/gm)];
  const listed = rows.map(([, usage = '', method, path, other = path]) => [
    `${method} ${other}`,
    commandOf(usage),
  ]);

  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(
      ids.map((id) => [`${operations[id].method} ${apaleo.path(id)}`, commandFor(id).path.join(' ')]),
    ),
  );
});

describe.each(ids)('%s', (id) => {
  test('every documented name is on the command line, or the page says why not', () => {
    const names = namesOf(id);
    const known = [...Object.keys(reached[id]), ...(excused.get(id) ?? [])];

    expect(known.toSorted()).toEqual(names.toSorted());
  });

  test('every flag and argument that gives a name exists', () => {
    const command = commandFor(id);
    const missing = Object.entries(reached[id]).filter(([name, word]) => !takes(command, name, word));

    expect(missing).toEqual([]);
  });
});

/** The command that sends an operation: that of the line with which the tests send it. */
function commandFor(id: OperationId): CommandModel {
  const [noun, verb] = lines[id].split(' ');
  const found = commands.find(({ path }) => path.length === 2 && path[0] === noun && path[1] === verb);
  if (found === undefined) throw new Error(`There is no command for ${id}: ${lines[id]}`);
  return found;
}

/** Whether a command has a flag or an argument; that of a value of `expand` must name the value. */
function takes({ flags, arguments: values }: CommandModel, name: string, word: string): boolean {
  if (word.startsWith('<')) return values.some((each) => `<${each.name}>` === word);
  const flag = flags.find(({ long }) => long === word);
  const [, wanted] = name.split('=');
  if (wanted === undefined || flag === undefined) return flag !== undefined;
  const taken = flag.value?.values;
  const choices = taken?.kind === 'choices' ? taken.choices : [];
  return choices.includes(wanted) || new RegExp(`\\b${wanted}\\b`).test(flag.description);
}

/** `units get [id...]` is `units get`. */
function commandOf(usage: string): string {
  return usage.replace(/ [<[].*$/, '');
}

function namesOf(id: OperationId): readonly string[] {
  const operation = operationOf(described, operations[id].method, apaleo.path(id));
  if (operation === undefined) throw new Error(`no document has ${id}`);
  const { parameters } = operation;
  const bodies = parameters.filter((each) => each['in'] === 'body');
  return [
    ...parameters.filter((each) => each['in'] === 'query').flatMap(queryNames),
    ...new Set(bodies.flatMap(({ schema }) => fieldsIn(schema))),
    ...changesOf(operation),
  ];
}

function queryNames({ name, items }: Readonly<Record<string, unknown>>): readonly string[] {
  const values = name === 'expand' && isRecord(items) && Array.isArray(items['enum']) ? items['enum'] : [];
  return [String(name), ...values.map((value) => `${name}=${value}`)];
}

function changesOf({ steps: changes }: DescribedOperation): readonly string[] {
  return [...changes.keys()].map((field) => `/${field}`);
}

/** The fields of a body that have no fields themselves, through models and lists. */
function fieldsIn(schema: unknown): readonly string[] {
  if (!isRecord(schema)) return [];
  const [model] = schema['$ref'] === undefined ? [] : modelsIn({ $ref: schema['$ref'] });
  if (model !== undefined) return fieldsIn(definitions[model]);
  if (schema['type'] === 'array') return fieldsIn(schema['items']);
  const { properties, allOf: parts } = schema;
  const own = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...(Array.isArray(parts) ? parts.flatMap(fieldsIn) : []),
    ...own.flatMap(([name, each]) => {
      const inner = fieldsIn(each);
      return inner.length === 0 ? [name] : inner.map((field) => `${name}.${field}`);
    }),
  ];
}
