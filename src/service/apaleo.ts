import { camelCase, camelCasePath, fieldPath, inCamelCase, inCamelCaseAt } from '../model/fields.ts';
import {
  fixedFields,
  isFurther,
  type Kind,
  kindTable,
  namesOf,
  parametersOf,
  timeFields,
} from '../model/kinds.ts';
import { type PatchStep, pointerTo, segmentsOf } from '../model/patch.ts';
import { isRecord } from '../model/records.ts';
import { quote, shortCodeProblem } from '../model/text.ts';
import { languageProblem } from '../model/values.ts';
import { contract, type Dialect, type QueryValue } from './dialect.ts';
import {
  apaleoPaths,
  apaleoScopes,
  type DialectName,
  furtherQueries,
  type OperationId,
  operations,
} from './operations.ts';

/** Roles that an invitation takes only under `roles`: `role` has older names for them. */
const listedRoles: ReadonlySet<unknown> = new Set([
  'Accountant',
  'ReservationManager',
  'FrontDesk',
  'FrontDeskSenior',
]);

/** Fields of a user that can be replaced, not added. */
const userFields = namesOf('user', isFurther);

const replacedOfUser = new Set(['properties', ...userFields].map((name) => inPointer(pointerTo(name))));

const keptFields = [...fixedFields, ...timeFields, 'location.country_code'];

/** The fields of a body that creates a record, as an answer has them, and others. */
function shownOf(kind: Kind, ...others: readonly string[]): readonly string[] {
  const needed = kindTable[kind].fields.filter(
    ({ isOptional, isNeverShown }) => !isOptional && !isNeverShown,
  );
  return [...new Set([...others, ...needed.map(({ path }) => path[0])])];
}

const ofGroup = shownOf('unit_group', 'id', 'type', 'member_count');
const ofUser = ['subject_id', 'first_name', 'last_name', 'email', 'is_account_admin', 'is_mfa_enabled'];

/** The public service of apaleo: camelCase, and two ways to write lists in queries. */
export const apaleo: Dialect = {
  name: 'apaleo',
  path: (id) => apaleoPaths[id] ?? operations[id].path,
  query: (id, query) =>
    Object.entries(query).flatMap(([name, value]) => {
      const isKnown = operations[id].query.includes(name) || apaleo.further[id]?.includes(name) === true;
      const spelt = isKnown ? camelCase(name) : name;
      return valuesOf(id, value).map((each) => [spelt, each] as const);
    }),
  body: (id, body) => {
    if (Array.isArray(body)) return body.map((step: PatchStep) => inStep(step, id));
    if (!isRecord(body)) return body;
    return inCamelCase(id === 'createInvitation' ? withRoles(body) : body);
  },
  paging: { number: 'pageNumber', size: 'pageSize' },
  fieldName: fieldPath,
  further: {
    ...furtherQueries,
    createInvitation: namesOf('invitation', isFurther),
    listUsers: [...parametersOf('user', isFurther), 'sort'],
    updateUser: userFields,
    listProperties: [...parametersOf('property'), 'expand'],
    createProperty: namesOf('property', isFurther),
    updateProperty: ['is_template'],
  },
  withArchived: { include_archived: true },
  filteredBy: ['id'],
  allLanguages: ['all'],
  languageProblem: shortLanguageProblem,
  invitationDays: 30,
  documentsKeys: true,
  expansions: kindTable.property.expansions,
  propertyFields: kindTable.property.fields.map((field) =>
    field.name === 'code'
      ? { ...field, check: (code) => field.check(code) ?? shortCodeProblem(code) }
      : field,
  ),
  fixedFields: keptFields,
  refusedInUpdate: keptFields,
  required: {
    property: shownOf('property', 'id', 'created', 'status', 'is_archived', 'is_template'),
    unitGroup: ofGroup,
    unit: shownOf('unit', 'id', 'status', 'created'),
    unitAttribute: shownOf('unit_attribute', 'id'),
    user: ofUser,
    invitation: ['email', 'is_account_admin', 'invited_by', 'created'],
    role: ['name'],
    country: ['code'],
  },
  requiredInLists: {
    unitGroup: ofGroup.filter((name) => name !== 'max_persons'),
    user: [...ofUser, 'enabled', 'is_passkeys_enabled'],
  },
  scopes: apaleoScopes,
};

/** Every dialect by the name that the setting `dialect` has for it. */
export const dialects: Readonly<Record<DialectName, Dialect>> = { contract, apaleo };

/** The service knows no regions, as in de-AT. */
function shortLanguageProblem(code: string): string | undefined {
  const problem = languageProblem(code);
  if (problem !== undefined || /^[a-z]{2}$/.test(code)) return problem;
  return `${quote(code)} is not a code of two letters such as en or de`;
}

/** In the inventory area the values of a list are joined with commas. */
function valuesOf(id: OperationId, value: QueryValue | undefined): readonly string[] {
  const values = [value ?? []].flat().map(String);
  return values.length === 0 || operations[id].area === 'identity' ? values : [values.join(',')];
}

function withRoles({ role, ...body }: Readonly<Record<string, unknown>>) {
  if (role === undefined) return body;
  if (!listedRoles.has(role)) return { role, ...body };
  const roles = Array.isArray(body['roles']) ? body['roles'] : [];
  return { ...body, roles: [...new Set([role, ...roles])] };
}

/** A step in the spelling of the service; `add` becomes `replace` where only that is accepted. */
function inStep(step: PatchStep, id: OperationId): PatchStep {
  const path = inPointer(step.path);
  if ('from' in step) return { ...step, path, from: inPointer(step.from) };
  const isLine = id === 'updateProperty' && /^\/location\/[^/]+$/.test(path);
  if (!('value' in step)) return isLine ? { op: 'replace', path, value: null } : { ...step, path };
  const isReplaced = isLine || (id === 'updateUser' && replacedOfUser.has(path));
  const op = step.op === 'add' && isReplaced ? 'replace' : step.op;
  return { ...step, op, path, value: inCamelCaseAt(segmentsOf(step.path), step.value) };
}

function inPointer(pointer: string): string {
  return pointerTo(...camelCasePath(segmentsOf(pointer)));
}
