import { gzipSync } from 'node:zlib';
import type { FaultBody } from '../faults.ts';
import type { Answer } from '../operations/exchange.ts';
import { type Written, written } from './deliver.ts';

const MOST_ON_A_PAGE = 100;
const DEEP = 100_000;
const TOO_HIGH = 1_000;

/** Fields that name a record, as the sandbox has them. */
const idFields = ['id', 'subject_id', 'subjectId', 'email', 'code', 'name'];

type Fields = Readonly<Record<string, unknown>>;
interface Spoiling {
  /** The answer's own value. */
  readonly value: unknown;
  /** It as JSON; empty where there is none. */
  readonly text: string;
  readonly query: URLSearchParams;
}

/** The body of an answer as a fault leaves it: its text, or its bytes and further headers. */
type Spoiled = string | Raw;
interface Raw {
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const spoilers: Readonly<Record<FaultBody, (spoiling: Spoiling) => Spoiled>> = {
  html: () => ({
    bytes: Buffer.from('<!doctype html>\n<html><title>Sign in</title><p>Please sign in.</p></html>\n'),
    headers: { 'content-type': 'text/html; charset=utf-8' },
  }),
  text: () => ({ bytes: Buffer.from('OK\n'), headers: { 'content-type': 'text/plain; charset=utf-8' } }),
  empty: () => '',
  null: () => 'null',
  other: () => '{"ok":true}',
  half: ({ text }) => text.slice(0, Math.floor(text.length / 2)),
  bom: ({ text }) => `\ufeff${text}`,
  'bad-utf8': ({ text }) => ({ bytes: Buffer.concat([Buffer.from(text), Buffer.from([0xff])]) }),
  deep: () => `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  twice: ({ value }) => eachRecord(value, (record) => beginning('id', '"twice"', inJson(withId(record)))),
  prototype: ({ value }) =>
    eachRecord(value, (record) =>
      beginning('__proto__', '{"id":"MUC"}', beginning('constructor', '{"prototype":{}}', inJson(record))),
    ),
  more: ({ value }) =>
    eachRecord(value, (record) => beginning('x_nobody_knows', '{"a":[1,null,"b"]}', inJson(record))),
  numbers: ({ value }) => eachRecord(value, withHugeId),
  count: ({ value, text }) => {
    const list = listIn(value);
    const own = list?.around['count'] ?? list?.items.length;
    return list === undefined ? text : inJson({ ...list.around, count: Number(own) + TOO_HIGH });
  },
  'first-page': ({ text }) => text,
  pages: ({ value, text, query }) => inventedPage(value, query) ?? text,
  gzip: ({ text }) => ({ bytes: gzipSync(text), headers: { 'content-encoding': 'gzip' } }),
  endless: ({ text }) => text.slice(0, -1),
};

/** The answer with its body spoilt; one that has no place for a body, 204, becomes 200. */
export function spoilt(body: FaultBody, own: Answer, status: number, query: URLSearchParams): Written {
  const { headers, bytes } = written(own);
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString();
  const made = spoilers[body]({ value: own.body, text, query });
  const { bytes: spoiltBytes, headers: more } = typeof made === 'string' ? plain(made) : made;
  return {
    status: status === 204 ? 200 : status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers, ...more },
    bytes: spoiltBytes,
  };
}

function plain(text: string): Raw {
  return { bytes: Buffer.from(text) };
}

/** The one list that an answer is, beside its count. */
function listIn(value: unknown): { readonly around: Fields; readonly items: readonly unknown[] } | undefined {
  if (!isFields(value)) return undefined;
  const names = Object.keys(value).filter((name) => name !== 'count');
  const items = value[names[0] ?? ''];
  return names.length === 1 && Array.isArray(items) ? { around: value, items } : undefined;
}

function eachRecord(value: unknown, textOf: (record: Fields, index: number) => string): string {
  const itemText = (item: unknown, index: number) => (isFields(item) ? textOf(item, index) : inJson(item));
  const list = listIn(value);
  if (list === undefined) return itemText(value, 0);
  const entries = Object.entries(list.around).map(([name, own]) =>
    Array.isArray(own)
      ? `${inJson(name)}:[${own.map(itemText).join(',')}]`
      : `${inJson(name)}:${inJson(own)}`,
  );
  return `{${entries.join(',')}}`;
}

/** A name and its value, in JSON, before those that an object has. */
function beginning(name: string, valueText: string, text: string): string {
  return text === '{}' ? `{"${name}":${valueText}}` : `{"${name}":${valueText},${text.slice(1)}`;
}

function withId(record: Fields): Fields {
  return 'id' in record ? record : { ...record, id: 'once' };
}

function withHugeId(record: Fields, index: number): string {
  const field = idFields.find((name) => typeof record[name] === 'string') ?? 'id';
  const { [field]: _, ...others } = record;
  return beginning(field, `${12_345_678_901_234_567_000n + BigInt(index)}`, inJson(others));
}

function inventedPage(value: unknown, query: URLSearchParams): string | undefined {
  const list = listIn(value);
  const first = list?.items.find(isFields);
  if (list === undefined || first === undefined) return undefined;
  const number = query.get('page_number') ?? query.get('pageNumber') ?? '1';
  const asked = query.get('page_size') ?? query.get('pageSize') ?? MOST_ON_A_PAGE;
  const size = Math.min(Number(asked), MOST_ON_A_PAGE);
  const items = Array.from({ length: size }, (_, index) =>
    Object.fromEntries(
      Object.entries(first).map(([name, own]) => [
        name,
        idFields.includes(name) ? `${number}-${index}` : own,
      ]),
    ),
  );
  const { count: _, ...around } = list.around;
  return inJson(Object.fromEntries(Object.keys(around).map((name) => [name, items])));
}

function inJson(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
