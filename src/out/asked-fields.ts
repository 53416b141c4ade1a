import { invalidInput } from '../cli/errors.ts';
import { listIn, onlyListIn, type Page, type ServiceRecord } from '../model/records.ts';
import { type Among, fieldsIn, unknownFields } from './field-names.ts';
import { alone, columnFor } from './fields.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';
import { isIndex, isObject, memberOf, valueAt } from './paths.ts';

/**
 * Leaves of everything that is printed the fields that --fields names, in their order. A field that nothing has is
 * refused before anything is printed (exit 2), and is a warning after a write. A list is judged by its first page with
 * records; an empty one is not. In the service's own documents only fields that are there are known.
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
  /** Whether records may have a field that none of those shown has. */
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
      const list = more === undefined ? listIn(value) : onlyListIn(value);
      const records = list?.items ?? [value];
      if (records.length > 0 && value !== undefined) {
        const subject = 'the answer has no';
        await judge({ subject, shape: { columns: [] }, records, isKnown: () => false }, write !== undefined);
      }
      // Of a list the fields of its entries are meant; a bare value has none, and stays.
      if (list === undefined) return [isObject(value) ? nested(value) : value, parts];
      return [list.with(list.items.map(nested)), { ...parts, more: more && pickedEntries(more, nested) }];
    },
  };
}

/** What a write may say of itself, besides what it always says. */
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

/** These fields of a record side by side, `{ id, 'location.city' }`; one that it lacks is null. */
function flatPick(record: ServiceRecord, fields: readonly string[]): ServiceRecord {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null]));
}

/** What is wanted of a value: all of it, or some of its members in this order. */
type Wanted = 'all' | Map<string, Wanted>;

/** Picks these fields of a record in their nesting, `{ id, location: { city } }`; one that it lacks is null. */
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

/** Of an array the entries that were asked for, one after the other. */
function part(value: unknown, wanted: Wanted): unknown {
  if (wanted === 'all') return value ?? null;
  const isList = [...wanted.keys()].every(isIndex) && (Array.isArray(value) || !isObject(value));
  if (!isList) return picked(value, wanted);
  return [...wanted].map(([name, inside]) => part(memberOf(value, name), inside));
}
