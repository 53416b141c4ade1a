import { invalidInput } from '../cli/errors.ts';
import { isIndex, isObject, memberOf, valueAt } from '../model/paths.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { listOf } from './documents.ts';
import { type Among, fieldsIn, unknownFields } from './field-names.ts';
import { alone, columnFor } from './fields.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';

/**
 * Reduces everything that is printed to the fields in --fields, in their order. A field that no record has is an error
 * before anything is printed (exit 2), and a warning after a write. A list is checked by its first page with records; an
 * empty one is not. In the service's own documents only the fields that are present are known.
 */
export interface AskedFields {
  list(shape: Shape, pages: AsyncIterable<Page>): readonly [Shape, AsyncIterable<Page>];
  record(shape: Shape, record: ServiceRecord): Promise<readonly [Shape, ServiceRecord]>;
  facts(facts: Facts): Facts;
  judgeFacts(facts: Facts, isWrite: boolean): Promise<void>;
  document(value: unknown, parts: DocumentParts): Promise<readonly [unknown, DocumentParts]>;
}

/** What `createAskedFields` works with. */
export interface AskedOptions {
  /** Dotted paths, each once. */
  readonly fields: readonly string[];
  /** Fields become columns and rows; otherwise they keep their nesting. */
  readonly inCells: boolean;
  /** Whether records may have a field, although none of the printed ones has it. */
  readonly isKnown: Among['isKnown'];
  readonly warn: (sentence: string) => Promise<void>;
}

export function createAskedFields({ fields, inCells, isKnown, warn }: AskedOptions): AskedFields {
  const nested = nestedPick(fields);
  const pick = inCells ? (record: ServiceRecord) => flatPick(record, fields) : nested;
  async function judge(among: Among, isWrite: boolean): Promise<void> {
    const details = unknownFields(fields, among);
    if (details.length === 0) return;
    if (!isWrite) throw invalidInput(details, fieldsIn(among));
    for (const { field, reason } of details) await warn(`${field}: ${reason}.`.replace(/\?\.$/, '?'));
  }
  const judgeRecords = (shape: Shape, records: readonly ServiceRecord[]) =>
    judge({ subject: `no ${shape.noun[0]} has`, shape, records, isKnown }, shape.ofWrites === true);
  async function* judged(shape: Shape, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    const before: Page[] = [];
    let isJudged = false;
    for await (const page of pages) {
      before.push(page);
      if (!isJudged && page.items.length === 0) continue;
      if (!isJudged) await judgeRecords(shape, page.items);
      isJudged = true;
      for (const each of before.splice(0)) yield inCells ? each : { ...each, items: each.items.map(nested) };
    }
    yield* before;
  }
  return {
    list: (shape, pages) => [
      inCells ? { ...shape, columns: fields.map((field) => columnFor(field, shape.columns)) } : shape,
      judged(shape, pages),
    ],
    async record(shape, record) {
      await judgeRecords(shape, [record]);
      return [inCells ? { ...shape, columns: shape.columns.map(alone) } : shape, pick(record)];
    },
    facts: pick,
    judgeFacts: (facts, isWrite) =>
      judge(
        { subject: 'the result has no', shape: factShape, records: [facts], isKnown: () => false },
        isWrite,
      ),
    async document(value, parts) {
      const { more, write } = parts;
      const list = listOf(value, more);
      const records = list?.items ?? [value];
      if (records.length > 0 && value !== undefined) {
        const subject = 'the answer has no';
        await judge({ subject, shape: { columns: [] }, records, isKnown: () => false }, write !== undefined);
      }
      // In a list the fields are those of its entries. A bare value has no fields and stays.
      if (list === undefined) return [isObject(value) ? nested(value) : value, parts];
      return [list.with(list.items.map(nested)), { ...parts, more: more && pickedEntries(more, nested) }];
    },
  };
}

/** Facts that only some writes have. */
const factShape = {
  columns: [],
  others: [
    ...['email', 'properties', 'sent_properties', 'changed_meanwhile', 'presumed'],
    ...['verification', 'unconfirmed', 'reason', 'request_id'],
  ],
};

async function* pickedEntries(
  pages: NonNullable<DocumentParts['more']>,
  pick: (entry: unknown) => Facts,
): AsyncGenerator<readonly Facts[]> {
  for await (const entries of pages) yield entries.map(pick);
}

/** Picks these fields of a record flat, `{ id, 'location.city' }`; a missing one is null. */
function flatPick(record: ServiceRecord, fields: readonly string[]): ServiceRecord {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null]));
}

/** The whole value, or some of its members in this order. */
type Wanted = 'all' | Map<string, Wanted>;

/** Picks these fields of a record nested, `{ id, location: { city } }`; a missing one is null. */
function nestedPick(fields: readonly string[]): (record: unknown) => ServiceRecord {
  const wanted = new Map<string, Wanted>();
  for (const field of fields) want(wanted, field.split('.'));
  return (record) => picked(record, wanted);
}

function want(among: Map<string, Wanted>, [name = '', ...inside]: readonly string[]): void {
  const before = among.get(name);
  if (before === 'all') return;
  if (inside.length === 0) {
    among.set(name, 'all');
    return;
  }
  const members = before ?? new Map<string, Wanted>();
  among.set(name, members);
  want(members, inside);
}

function picked(value: unknown, wanted: ReadonlyMap<string, Wanted>): ServiceRecord {
  return Object.fromEntries([...wanted].map(([name, inside]) => [name, part(memberOf(value, name), inside)]));
}

/** The picked entries of an array are an array. */
function part(value: unknown, wanted: Wanted): unknown {
  if (wanted === 'all') return value ?? null;
  const isList = [...wanted.keys()].every(isIndex) && (Array.isArray(value) || !isObject(value));
  if (!isList) return picked(value, wanted);
  return [...wanted].map(([name, inside]) => part(memberOf(value, name), inside));
}
