import type { PropertyChange } from '../api/access-change.ts';
import type { CliError } from '../errors.ts';
import type { Item } from './item.ts';

/** How one row ended; `done` includes those that needed nothing. */
export const outcomes = ['done', 'failed', 'unknown', 'not_attempted'] as const;
export type Outcome = (typeof outcomes)[number];

/** One row of a run. */
export interface Result {
  readonly item: Item;
  readonly outcome: Outcome;
  /** The service's own id, where it is known. */
  readonly id?: string | undefined;
  /** What became of the properties of a user, where the row changed them. */
  readonly access?: GivenAccess | undefined;
  /** Why it failed, is unknown or was not attempted. */
  readonly error?: CliError | undefined;
}

/** What a row that is done gave a user, and took. */
export interface GivenAccess extends PropertyChange {
  /** Added properties at which the user has no role, as far as the record shows roles. */
  readonly withoutRoles: readonly string[];
}

/** All that an error says, on one line: the fields that its sentence does not name, and the service's number for it. */
export function errorText(error: CliError): string {
  const { requestId } = error;
  return `${reasonText(error)}${requestId === undefined ? '' : ` (request id ${requestId})`}`;
}

/** The same without the number, which is another one for each request. */
export function reasonText({ message, details }: CliError): string {
  const fields = details
    .map(({ field, reason }) => `${field}: ${reason}`)
    .filter((detail) => !message.includes(detail));
  return [message, ...fields].join(' ');
}
