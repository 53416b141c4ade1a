import { isInsecure } from '../config/urls.ts';

/** Code units. */
const LONGEST = 2_048;

/**
 * What is wrong with the URL of an endpoint, or `undefined`. It may have a query, and people are sent there: it must be https, or http to
 * this machine.
 */
export function endpointProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is not a text';
  if (value.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (!/^[!-~]+$/.test(value) || !/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    return 'is not a URL of the form https://host/path';
  const { username, password } = new URL(value);
  if (username !== '' || password !== '') return 'has a user name or password';
  if (value.includes('#')) return 'has a fragment';
  return isInsecure(value)
    ? 'is not encrypted: https is needed, and http is for this machine alone'
    : undefined;
}
