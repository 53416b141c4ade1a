import { SeveralRecords } from '../files/several-records.ts';
import { type ServiceChoice, serviceLine } from './settle.ts';

/**
 * Adds to the refusal of a file with several records the command that takes them.
 *
 * @returns for `catch`; every error goes on.
 */
export function importing(
  resource: 'invitations' | 'properties',
  file: string | undefined,
  globals: ServiceChoice,
) {
  return (error: unknown): never => {
    if (!(error instanceof SeveralRecords) || file === undefined) throw error;
    throw error.withHint(serviceLine(globals, resource, 'import', file));
  };
}
