import * as v from 'valibot';
import type { DialectName } from '../../checks/dialect-names.ts';
import type { UserRecord } from '../store/records.ts';
import { check } from './check.ts';
import type { Call } from './exchange.ts';
import { unknownProperties } from './known-properties.ts';
import { parsePatch, type Step } from './patch-body.ts';
import { invalid } from './refusal.ts';

const name = v.pipe(v.string('must be a text'), v.trim(), v.nonEmpty('must not be empty'));
const trueOrFalse = v.boolean('must be true or false');

/** What may be written, under the names of the contract and of the real service. */
const schemas = {
  enabled: v.strictObject({ enabled: trueOrFalse }),
  properties: v.strictObject({
    properties: v.array(v.string('must be a text'), 'must be an array of property ids'),
  }),
  first_name: v.strictObject({ first_name: name }),
  last_name: v.strictObject({ last_name: name }),
  is_account_admin: v.strictObject({ is_account_admin: trueOrFalse }),
};

const paths: Readonly<Record<string, keyof typeof schemas>> = {
  '/enabled': 'enabled',
  '/properties': 'properties',
  '/firstName': 'first_name',
  '/first_name': 'first_name',
  '/lastName': 'last_name',
  '/last_name': 'last_name',
  '/isAccountAdmin': 'is_account_admin',
  '/is_account_admin': 'is_account_admin',
};

/**
 * The user as the operations leave it: `replace` on whole fields, and on `/properties` also `add`, which sets the
 * whole array (RFC 6902). The roles in properties that stay are kept.
 *
 * @throws {Refusal} 422 for every other operation, and for values of a wrong type or of unknown properties.
 */
export function patchUser(user: UserRecord, { body, records, dialect }: Call<'updateUser'>): UserRecord {
  const changes = parsePatch(body).map((step) => fieldsOf(step, dialect));
  const changed: UserRecord = Object.assign({}, user, ...changes);
  const unknown = unknownProperties(
    changed.properties.filter((id) => !user.properties.includes(id)),
    records,
  );
  if (unknown.length > 0) throw invalid(unknown);
  const properties = [...new Set(changed.properties)];
  const property_roles = properties.map(
    (id) => user.property_roles.find((entry) => entry.id === id) ?? { id, roles: [] },
  );
  return { ...changed, properties, property_roles };
}

function fieldsOf({ op, path, value }: Step, dialect: DialectName): Partial<UserRecord> {
  const field = Object.hasOwn(paths, path) ? paths[path] : undefined;
  if (field === undefined) throw invalid([{ field: path, reason: 'cannot be changed' }]);
  const isAdded = op === 'add' && field === 'properties' && dialect === 'contract';
  if (op === 'replace' || isAdded) {
    return check(schemas[field], { [field]: value });
  }
  throw invalid([{ field: path, reason: `cannot be changed with ${op}` }]);
}
