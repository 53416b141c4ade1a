import type { Detail } from '../errors.ts';

/** What an error body says, whichever of the usual shapes it has. */
export interface Refusal {
  readonly code: string | undefined;
  readonly messages: readonly string[];
  readonly details: readonly Detail[];
}

const MAX_MESSAGES = 20;
const MAX_LENGTH = 1_000;

/**
 * Reads `{messages}`, `{error: {code, message, details}}`, `{type, message}`, RFC 9457 `{title, detail, errors}`,
 * OAuth `{error, error_description}` and plain texts. Nothing in it is trusted: wrong types count as absent.
 */
export function readRefusal(body: unknown): Refusal {
  if (typeof body === 'string') return { code: undefined, messages: texts([body]), details: [] };
  if (!isObject(body)) return { code: undefined, messages: [], details: [] };
  const inner = isObject(body['error']) ? body['error'] : body;
  const list = Array.isArray(body['messages']) ? body['messages'] : [];
  const own = [inner['message'], inner['detail'], inner['error_description'], inner['title']].find(isText);
  return {
    code: [inner['code'], body['error'], body['code'], body['type']].find(isText)?.slice(0, 100),
    messages: texts([...list, own]),
    details: detailsOf(inner['details'] ?? inner['errors'] ?? body['errors']),
  };
}

function detailsOf(value: unknown): readonly Detail[] {
  if (isObject(value) && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([field, reasons]) =>
      texts(Array.isArray(reasons) ? reasons : [reasons]).map((reason) => ({ field, reason })),
    );
  }
  if (!Array.isArray(value)) return [];
  return value
    .filter(isObject)
    .slice(0, MAX_MESSAGES)
    .flatMap((entry) => {
      const field = [entry['field'], entry['pointer'], entry['name'], entry['path']].find(isText);
      const reason = [entry['reason'], entry['message'], entry['detail']].find(isText);
      return field === undefined || reason === undefined
        ? []
        : [{ field, reason: reason.slice(0, MAX_LENGTH) }];
    });
}

function texts(values: readonly unknown[]): readonly string[] {
  return values
    .filter(isText)
    .slice(0, MAX_MESSAGES)
    .map((text) => text.slice(0, MAX_LENGTH));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
