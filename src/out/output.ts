import type { Page, ServiceRecord } from '../model/records.ts';

/** How one field is shown to people. JSON shows every field as it came. */
export interface Column {
  /** Path into the record, dots between names: `location.city`. */
  readonly field: string;
  readonly header: string;
  /** The field that is shown where a record has nothing in this one. */
  readonly otherwise?: string;
  /** A list of `{id, roles}` that tells more of the ids in this field: both are one cell, `BER: FrontDesk; MUC: Auditor`. */
  readonly beside?: string;
  /**
   * `date`: relative on a terminal, ISO in a pipe. `language`: a language map, or a text. `words`: blanks instead of
   * underscores where people read. `lines`: a list of texts, never cut; each on a line of its own in tables, and left
   * out of cards where there is none. Default: by the value's type.
   */
  readonly format?: 'date' | 'language' | 'words' | 'lines';
  /** How some cells are coloured in tables, by their text, which says the same without it. */
  readonly tones?: ReadonlyMap<string, 'error' | 'warning' | 'hint'>;
}

/** How records of one kind are listed. */
export interface Shape {
  /** `['property', 'properties']`, for sentences. */
  readonly noun: readonly [singular: string, plural: string];
  readonly columns: readonly Column[];
  /** The field that names a record, where that is not the first column. */
  readonly id?: string;
  /** One record as it is told to people, where its fields as they stand are hard to read. */
  readonly told?: (record: ServiceRecord) => ServiceRecord;
  /** Fields that a record may have besides the columns. */
  readonly others?: readonly string[];
  /** The records tell what writes did: a misspelt field among those that were asked for is no reason to fail any more. */
  readonly ofWrites?: true;
}

/** What a write did, for programs: `{ email, deleted: true }`. */
export type Facts = Readonly<Record<string, unknown>>;

/** What belongs to a document of the service besides its value. */
export interface DocumentParts {
  /** Shown before the value; for programs the document is `{ status, headers, body }`. Secrets are masked already. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
  /** Further entries for the one list that the value is, as the pages arrive. */
  readonly more?: AsyncIterable<readonly unknown[]> | undefined;
  /** The write that it answers, as a sentence: said when the document cannot be printed. */
  readonly write?: string | undefined;
}

/** Where results go. Commands never ask which format is in force. */
export interface Output {
  /**
   * A list. JSON and YAML are one document `{ count, items }`, or nothing when a page fails.
   *
   * @param facts stand beside count and items in that document, and nowhere in the other formats.
   */
  records(shape: Shape, pages: AsyncIterable<Page>, facts?: Facts): Promise<void>;
  record(shape: Shape, record: ServiceRecord): Promise<void>;
  /**
   * What the service said, nothing renamed: YAML as yaml, JSON in every other format, a text as it is where people read.
   * ndjson has one line for it, or one for each entry of a list.
   *
   * @param value `undefined` only beside a head.
   */
  document(value: unknown, parts?: DocumentParts): Promise<void>;
  /**
   * A write that was done: the sentence for people goes to stderr, the facts to stdout where a format for programs is in
   * force or some of them were asked for.
   */
  done(sentence: string, facts: Facts): Promise<void>;
  /** Text on stdout as given; in the formats for programs the facts instead, on one line where that is JSON. */
  line(text: string, facts: Facts): Promise<void>;
  /** A request that was not sent: text as given; in the formats for programs the facts, as of a write that was done. */
  unsent(text: string, facts: Facts): Promise<void>;
  /** Conversation, on stderr. */
  note(sentence: string): Promise<void>;
  warn(sentence: string): Promise<void>;
}

export const formats = ['table', 'cards', 'json', 'ndjson', 'csv', 'tsv', 'yaml'] as const;
export type Format = (typeof formats)[number];
