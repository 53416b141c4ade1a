import type { ContractOperationId as OperationId } from '../../src/service/operations.ts';
import { hotel } from '../sandbox/hotel.ts';

/** One operation as a person asks for it, and how the service shows that it was carried out. */
export interface Row {
  readonly line: readonly string[];
  readonly stdin?: string;
  /** What its path holds. */
  readonly values?: Readonly<Record<string, string>>;
  /** For a write: where to look, and whether it was carried out. */
  readonly shows?: readonly [path: string, isDone: (status: number, text: string) => boolean];
}

const BEN = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';
const JONAS = 'jonas.keller@aurora.example';

/** All operations of the contract: one that is missing does not compile. */
export const rows: Readonly<Record<OperationId, Row>> = {
  listInvitations: { line: ['invitations', 'list'] },
  createInvitation: {
    line: ['invitations', 'create', 'ana@example.com', '--role', 'Housekeeping', '--properties', 'BER'],
    shows: ['/api/v1/invitations', (_, text) => text.split('"ana@example.com"').length === 2],
  },
  deleteInvitation: {
    line: ['invitations', 'delete', JONAS, '--yes'],
    values: { email: encodeURIComponent(JONAS) },
    shows: ['/api/v1/invitations', (_, text) => !text.includes(JONAS)],
  },
  listRoles: { line: ['roles', 'list'] },
  listUsers: { line: ['users', 'list'] },
  getUser: { line: ['users', 'get', BEN], values: { subjectId: BEN } },
  updateUser: {
    line: ['users', 'update', BEN, '--patch', '[{"op":"replace","path":"/firstName","value":"Benno"}]'],
    values: { subjectId: BEN },
    shows: [`/api/v1/identity/users/${BEN}`, (_, text) => text.includes('"Benno"')],
  },
  getCurrentUser: { line: ['users', 'me'] },
  listProperties: { line: ['properties', 'list'] },
  createProperty: {
    line: ['properties', 'create', '--file', '-'],
    stdin: JSON.stringify(hotel('HAM')),
    shows: ['/inventory/v1/properties/HAM', (status) => status === 200],
  },
  countProperties: { line: ['properties', 'count'] },
  getProperty: { line: ['properties', 'get', 'BER'], values: { id: 'BER' } },
  updateProperty: {
    line: [
      'properties',
      'update',
      'BER',
      '--patch',
      '[{"op":"replace","path":"/companyName","value":"Nord GmbH"}]',
    ],
    values: { id: 'BER' },
    shows: ['/inventory/v1/properties/BER', (_, text) => text.includes('"Nord GmbH"')],
  },
  deleteProperty: {
    line: ['properties', 'delete', 'MUC', '--confirm', 'MUC'],
    values: { id: 'MUC' },
    shows: ['/inventory/v1/properties/MUC', (status) => status === 404],
  },
  listCountries: { line: ['countries', 'list'] },
};
