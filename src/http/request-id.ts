const names = ['x-request-id', 'x-correlation-id', 'traceparent'];

/** Characters. A longer value is not a number to tell anybody, nor is a piece of it. */
const LONGEST = 200;

/**
 * The service's own number for a request, which its support asks for; `undefined` when it gave none, or one longer than 200
 * characters. Its own `...-tracking-id` comes before the numbers that any gateway gives.
 *
 * @param headers names in lower case.
 */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const tracking = Object.keys(headers).filter((name) => name.endsWith('-tracking-id'));
  return [...tracking, ...names].map((name) => headers[name]?.trim()).find(isTellable);
}

function isTellable(value: string | undefined): value is string {
  return value !== undefined && value !== '' && value.length <= LONGEST;
}
