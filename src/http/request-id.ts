const names = ['x-request-id', 'x-correlation-id', 'traceparent'];

/** Characters. A longer value is not a number to tell anybody, nor is a piece of it. */
const LONGEST = 200;

/**
 * The service's own number for a request, which its support asks for; `undefined` when it gave none, or one longer than 200 characters.
 *
 * @param headers names in lower case.
 */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const tracking = Object.keys(headers).find((name) => name.endsWith('-tracking-id'));
  const name = tracking ?? names.find((candidate) => headers[candidate] !== undefined);
  const value = name === undefined ? undefined : headers[name];
  return value === undefined || value === '' || value.length > LONGEST ? undefined : value;
}
