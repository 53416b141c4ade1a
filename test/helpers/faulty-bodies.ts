import { gzipSync } from 'node:zlib';
import { isRecord, type ServiceRecord } from '../../src/model/records.ts';

const MOST_ON_A_PAGE = 100;
const DEEP = 100_000;
const TOO_HIGH = 1_000;

/** Fields that may identify a record. */
const idFields = ['id', 'subject_id', 'subjectId', 'email', 'code', 'name'];

interface OwnBody {
  /** The answer's own value. */
  readonly value: unknown;
  /** The value as JSON; empty where there is none. */
  readonly text: string;
  readonly query: URLSearchParams;
}

/** The body of an answer as a fault leaves it. */
export const faultyBodies = {
  html: () => '<!doctype html>\n<html><title>Sign in</title><p>Please sign in.</p></html>\n',
  text: () => 'OK\n',
  empty: () => '',
  null: () => 'null',
  other: () => '{"ok":true}',
  half: ({ text }) => text.slice(0, Math.floor(text.length / 2)),
  bom: ({ text }) => `\ufeff${text}`,
  'bad-utf8': ({ text }) => Buffer.concat([Buffer.from(text), Buffer.from([0xff])]),
  deep: () => `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  twice: ({ value }) =>
    eachRecord(value, (record) =>
      withFirstMember('id', '"twice"', inJson('id' in record ? record : { ...record, id: 'once' })),
    ),
  prototype: ({ value }) =>
    eachRecord(value, (record) =>
      withFirstMember(
        '__proto__',
        '{"id":"MUC"}',
        withFirstMember('constructor', '{"prototype":{}}', inJson(record)),
      ),
    ),
  more: ({ value }) =>
    eachRecord(value, (record) => withFirstMember('x_unknown', '{"a":[1,null,"b"]}', inJson(record))),
  numbers: ({ value }) => eachRecord(value, withHugeId),
  count: ({ value, text }) => {
    const list = listIn(value);
    const own = list?.around['count'] ?? list?.items.length;
    return list === undefined ? text : inJson({ ...list.around, count: Number(own) + TOO_HIGH });
  },
  'first-page': ({ text }) => text,
  pages: ({ value, text, query }) => inventedPage(value, query) ?? text,
  gzip: ({ text }) => gzipSync(text),
  endless: ({ text }) => text.slice(0, -1),
} as const satisfies Readonly<Record<string, (own: OwnBody) => string | Uint8Array>>;

export type FaultyBody = keyof typeof faultyBodies;

/** The headers of faulty bodies that are not JSON. */
export const faultyHeaders: Partial<Record<FaultyBody, Readonly<Record<string, string>>>> = {
  html: { 'content-type': 'text/html; charset=utf-8' },
  text: { 'content-type': 'text/plain; charset=utf-8' },
  gzip: { 'content-encoding': 'gzip' },
};

/** The list in an answer that has nothing else but a count. */
function listIn(
  value: unknown,
): { readonly around: ServiceRecord; readonly items: readonly unknown[] } | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value).filter((name) => name !== 'count');
  const items = value[names[0] ?? ''];
  return names.length === 1 && Array.isArray(items) ? { around: value, items } : undefined;
}

function eachRecord(value: unknown, textOf: (record: ServiceRecord, index: number) => string): string {
  const itemText = (item: unknown, index: number) => (isRecord(item) ? textOf(item, index) : inJson(item));
  const list = listIn(value);
  if (list === undefined) return itemText(value, 0);
  const entries = Object.entries(list.around).map(([name, own]) =>
    Array.isArray(own)
      ? `${inJson(name)}:[${own.map(itemText).join(',')}]`
      : `${inJson(name)}:${inJson(own)}`,
  );
  return `{${entries.join(',')}}`;
}

/** The JSON of an object with one more member, at its beginning. */
function withFirstMember(name: string, valueText: string, text: string): string {
  return text === '{}' ? `{"${name}":${valueText}}` : `{"${name}":${valueText},${text.slice(1)}`;
}

function withHugeId(record: ServiceRecord, index: number): string {
  const field = idFields.find((name) => typeof record[name] === 'string') ?? 'id';
  const { [field]: _, ...others } = record;
  return withFirstMember(field, `${12_345_678_901_234_567_000n + BigInt(index)}`, inJson(others));
}

function inventedPage(value: unknown, query: URLSearchParams): string | undefined {
  const list = listIn(value);
  const first = list?.items.find(isRecord);
  if (list === undefined || first === undefined) return undefined;
  const number = query.get('page_number') ?? query.get('pageNumber') ?? '1';
  const asked = query.get('page_size') ?? query.get('pageSize') ?? MOST_ON_A_PAGE;
  const size = Math.min(Number(asked), MOST_ON_A_PAGE);
  const entry = (index: number) =>
    Object.entries(first).map(([name, own]) => [name, idFields.includes(name) ? `${number}-${index}` : own]);
  const items = Array.from({ length: size }, (_, index) => Object.fromEntries(entry(index)));
  const { count: _, ...around } = list.around;
  return inJson(Object.fromEntries(Object.keys(around).map((name) => [name, items])));
}

function inJson(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
