import { quote } from './text.ts';

/** What a property of a public service is: one that is tried out, and may be deleted, or one that guests stay in. */
export const propertyStatuses: readonly string[] = ['Test', 'Live'];

/** A status as the service spells it, whatever letters it is typed in; `undefined` where it is none. */
export function statusNamed(text: string): string | undefined {
  return propertyStatuses.find((status) => status.toLowerCase() === text.toLowerCase());
}

/** What is wrong with a status, or `undefined`. */
export function statusProblem(text: string): string | undefined {
  return statusNamed(text) === undefined
    ? `${quote(text)} is not ${propertyStatuses.join(' or ')}`
    : undefined;
}
