import type { Records } from './records.ts';

/**
 * What is stored without the properties and invitations that were created after a moment.
 *
 * @param moment milliseconds since the epoch.
 */
export function createdBy(moment: number, records: Records): Records {
  const latest = new Date(Math.max(0, moment)).toISOString();
  const only = <Kept extends { readonly created: string }>(all: ReadonlyMap<string, Kept>) =>
    new Map([...all].filter(([, { created }]) => created <= latest));
  return {
    ...records,
    properties: only(records.properties),
    invitations: only(records.invitations),
  };
}
