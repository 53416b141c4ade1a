import type { Dialect } from '../api/dialects/dialect.ts';
import { notInContract } from '../checks/dialect-names.ts';
import type { ServiceRecord } from '../records.ts';
import type { Kind } from './entry.ts';
import { fieldsOf, furtherIn } from './names.ts';
import type { PlaceProblem } from './problems.ts';

/** What entries are judged by besides the grammar of manifests, which is one for all services. */
export type EntryDialect = Pick<Dialect, 'goesBeyond' | 'propertyFields'>;

/** Says what a service of some dialect would not take of an entry that the grammar takes. */
export type DialectCheck = (kind: Kind, fields: ServiceRecord) => readonly PlaceProblem[];

/** Opens the check for a dialect. */
export async function openDialectCheck({ goesBeyond, propertyFields }: EntryDialect): Promise<DialectCheck> {
  if (!goesBeyond)
    return (kind, fields) => furtherIn(kind, fields).map((field) => ({ field, reason: notThere(kind) }));
  const checkCode = await propertyFields.find(({ path }) => path[0] === 'code')?.check();
  return (kind, { code }) => {
    const reason = kind === 'property' && typeof code === 'string' ? checkCode?.(code) : undefined;
    return reason === undefined ? [] : [{ field: 'code', reason }];
  };
}

function notThere(kind: Kind): string {
  const isLeftOpen = fieldsOf[kind].includes('extra');
  return isLeftOpen ? `${notInContract}; under extra it is sent as it is` : notInContract;
}
