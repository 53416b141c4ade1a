import { invalidInput } from '../cli/errors.ts';
import { listIn, onlyListIn, type Page, type ServiceRecord } from '../model/records.ts';
import { type Among, fieldsIn, unknownFields } from './field-names.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';

/**
 * Says before anything is printed which of the fields that were asked for nothing has: exit 2, but a warning once something
 * was written. A list is judged by its first page with records; an empty one is not. In what the service says, nothing
 * renamed, only what is there is known.
 */
export interface AskedFields {
  pages(shape: Shape, pages: AsyncIterable<Page>): AsyncIterable<Page>;
  record(shape: Shape, record: ServiceRecord): Promise<void>;
  facts(facts: Facts, isWrite: boolean): Promise<void>;
  document(value: unknown, parts: DocumentParts): Promise<void>;
}

/**
 * @param fields dotted paths.
 * @param isKnown whether records may have a field, although none at hand does.
 * @param warn says a sentence.
 */
export function createAskedFields(
  fields: readonly string[],
  isKnown: Among['isKnown'],
  warn: (sentence: string) => Promise<void>,
): AskedFields {
  async function judge(among: Among, isWrite: boolean): Promise<void> {
    const details = unknownFields(fields, among);
    if (details.length === 0) return;
    if (!isWrite) throw invalidInput(details, fieldsIn(among));
    for (const { field, reason } of details) await warn(`${field}: ${reason}.`.replace(/\?\.$/, '?'));
  }
  const judgeRecords = (shape: Shape, records: readonly ServiceRecord[]) => {
    const subject = `no ${shape.noun[0]} has`;
    return judge({ subject, shape, records, isKnown }, shape.ofWrites === true);
  };
  return {
    pages: (shape, pages) => judgedPages(pages, (records) => judgeRecords(shape, records)),
    record: (shape, record) => judgeRecords(shape, [record]),
    facts: (facts, isWrite) =>
      judge(
        { subject: 'the result has no', shape: factShape, records: [facts], isKnown: () => false },
        isWrite,
      ),
    async document(value, { more, write }) {
      const entries = (more === undefined ? listIn(value) : onlyListIn(value))?.items ?? [value];
      if (entries.length === 0 || value === undefined) return;
      await judge(
        { subject: 'the answer has no', shape: noShape, records: entries, isKnown: () => false },
        write !== undefined,
      );
    },
  };
}

const noShape = { columns: [] };

/** What a write may say of itself, besides what it always says. */
const factShape = {
  columns: [],
  others: [
    ...['email', 'properties', 'sent_properties', 'changed_meanwhile', 'presumed'],
    ...['verification', 'unconfirmed', 'reason', 'request_id'],
  ],
};

async function* judgedPages(
  pages: AsyncIterable<Page>,
  judge: (records: readonly ServiceRecord[]) => Promise<void>,
): AsyncGenerator<Page> {
  const empty: Page[] = [];
  let isJudged = false;
  for await (const page of pages) {
    if (!isJudged && page.items.length === 0) {
      empty.push(page);
      continue;
    }
    if (!isJudged) {
      await judge(page.items);
      isJudged = true;
      yield* empty;
    }
    yield page;
  }
  if (!isJudged) yield* empty;
}
