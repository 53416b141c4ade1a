import type { Detail } from '../errors.ts';

/** What an error body says, whichever of the usual shapes it has. */
export interface Refusal {
  readonly code: string | undefined;
  readonly messages: readonly string[];
  readonly details: readonly Detail[];
}

const MAX_MESSAGES = 20;

/** Code units. */
const MAX_LENGTH = 1_000;
const MAX_NAME = 100;

/**
 * Reads `{messages}`, `{error: {code, message, details}}`, `{type, message}`, RFC 9457 `{title, detail, errors}`,
 * OAuth `{error, error_description}`, `{errors: [text]}` and plain texts. Nothing in it is trusted: wrong types and codes of
 * more than 100 characters count as absent; of messages and of details there are 20 at most, of 1,000 characters each. What
 * is said of no field (`{errors: {"": [text]}}`) is a message.
 *
 * @param clean masks secrets: a refusal may echo the token, and what is left of a cut one is found by nobody.
 */
export function readRefusal(body: unknown, clean: (text: string) => string): Refusal {
  if (typeof body === 'string') return { code: undefined, messages: texts([body], clean), details: [] };
  if (Array.isArray(body)) return readRefusal({ messages: body }, clean);
  if (!isObject(body)) return { code: undefined, messages: [], details: [] };
  const inner = isObject(body['error']) ? body['error'] : body;
  const own = [inner['message'], inner['detail'], inner['error_description'], inner['title']].find(isText);
  const said = readDetails(body['messages']);
  const told = readDetails(inner['details'] ?? inner['errors'] ?? body['errors']);
  return {
    code: [inner['code'], body['error'], body['code'], body['type']].find(isCode),
    messages: texts([...new Set([...ofNoField(said), own, ...ofNoField(told)])], clean),
    details: [...said, ...told]
      .filter(({ field }) => field !== '')
      .slice(0, MAX_MESSAGES)
      .map(({ field, reason }) => ({
        field: cut(clean(field), MAX_NAME),
        reason: cut(clean(reason), MAX_LENGTH),
      })),
  };
}

function ofNoField(details: readonly Detail[]): readonly string[] {
  return details.flatMap(({ field, reason }) => (field === '' ? [reason] : []));
}

function readDetails(value: unknown): readonly Detail[] {
  if (isText(value)) return of('', value);
  if (Array.isArray(value))
    return value.flatMap((entry) => (isText(entry) ? of('', entry) : readDetail(entry)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, reasons]) =>
    [reasons]
      .flat()
      .filter(isText)
      .flatMap((reason) => of(field.trim(), reason)),
  );
}

function of(field: string, reason: string): readonly Detail[] {
  return [{ field, reason }];
}

function readDetail(entry: unknown): readonly Detail[] {
  if (!isObject(entry)) return [];
  const field = [entry['field'], entry['pointer'], entry['name'], entry['path']].find(isText);
  const reason = [entry['reason'], entry['message'], entry['detail']].find(isText);
  return reason === undefined ? [] : of(field?.trim() ?? '', reason);
}

function texts(values: readonly unknown[], clean: (text: string) => string): readonly string[] {
  return values
    .filter(isText)
    .slice(0, MAX_MESSAGES)
    .map((text) => cut(clean(text), MAX_LENGTH));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function isCode(value: unknown): value is string {
  return isText(value) && value.length <= MAX_NAME;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
