import type { Page, ServiceRecord } from '../model/records.ts';
import type { OutlineLine } from './outline.ts';
import type { Tone } from './paint.ts';

/** How one field is shown to people. JSON shows every field as it came. */
export interface Column {
  /** Path into the record, dots between names: `location.city`. */
  readonly field: string;
  readonly header: string;
  /**
   * `date`: relative on a terminal, ISO in a pipe. `language`: a language map, or a text. `words`: spaces for underscores
   * in formats for people. `sentences`: a list of texts, with semicolons between them. `grouped`: a list of `{id, roles}`, in which ids with the same roles are together. Default:
   * by the value's type.
   */
  readonly format?: 'date' | 'language' | 'words' | 'sentences' | 'grouped';
  /** The value in cells, where it is not that of one field: a whole name. */
  readonly value?: (record: ServiceRecord) => unknown;
  /** Its cells are cut less than those of other columns: they are to be copied. */
  readonly isCutLast?: true;
  /** Colours of cells for people, by their text. */
  readonly tones?: Readonly<Record<string, Tone>>;
}

/** Other records that people see in place of a list: one for each person, say. */
export interface Gathered {
  readonly shape: Shape;
  readonly records: readonly ServiceRecord[];
  /** Shown instead where it fits. */
  readonly matrix?: Matrix | undefined;
}

/** A table with a narrow column for each place, say. */
export interface Matrix {
  /** The columns before them. Where these are too wide, the first is left out. */
  readonly leading: readonly Column[];
  readonly columns: readonly Column[];
  /** What the cells mean. */
  readonly legend: readonly string[];
}

/** How records of one kind are listed. */
export interface Shape {
  /** `['property', 'properties']`, for sentences. */
  readonly noun: readonly [singular: string, plural: string];
  readonly columns: readonly Column[];
  /** The columns for people, what matters most first: a terminal that is too narrow leaves out the last ones. Default: `columns`. */
  readonly table?: readonly Column[];
  /** People see these instead, made of the whole list. */
  readonly gathered?: (records: readonly ServiceRecord[]) => Gathered;
  /** These columns were asked for: all are shown, also empty ones. */
  readonly isAsked?: true;
  /** The field that identifies a record. Default: the first column. */
  readonly id?: string;
  /** A record in cells, where several of its fields are one text, unless fields are asked for. */
  readonly inCells?: (record: ServiceRecord) => ServiceRecord;
  /** One record as people see it, where its own fields are hard to read. */
  readonly forPeople?: (record: ServiceRecord) => ServiceRecord;
  /** What the list amounts to: a sentence on stderr, and in md below the table. */
  readonly outcome?: string;
  /** Fields that a record may have in addition to the columns. */
  readonly others?: readonly string[];
  /** The records are outcomes of writes: an unknown field in --fields is only a warning. */
  readonly ofWrites?: true;
}

/** What a write did, for programs: `{ email, deleted: true }`. */
export type Facts = Readonly<Record<string, unknown>>;

/** The parts of an answer of the service besides its value. */
export interface DocumentParts {
  /** Printed before the value; for programs the document is `{ status, headers, body }`. Secrets are masked already. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
  /** Further entries for the list in the value, as the pages arrive. */
  readonly more?: AsyncIterable<readonly unknown[]> | undefined;
  /** The write that was answered, as a sentence for the error when the document cannot be printed. */
  readonly write?: string | undefined;
}

/** Prints results. Commands do not know the format. */
export interface Output {
  /**
   * A list. JSON and YAML are one document `{ count, items }`, or nothing when a page fails.
   *
   * @param facts further members of that document; other formats leave them out.
   * @param outline what a terminal shows instead, unless a format or some fields are asked for.
   */
  records(
    shape: Shape,
    pages: AsyncIterable<Page>,
    facts?: Facts,
    outline?: Iterable<OutlineLine>,
  ): Promise<void>;
  record(shape: Shape, record: ServiceRecord): Promise<void>;
  /**
   * An answer of the service, nothing renamed: YAML as yaml, JSON in every other format, a text as it is in formats for
   * people. ndjson has one line for it, or one for each entry of a list.
   *
   * @param value `undefined` only with a head.
   */
  document(value: unknown, parts?: DocumentParts): Promise<void>;
  /**
   * A completed write: the sentence goes to stderr; the facts go to stdout in formats for programs, or where --fields asks
   * for some of them.
   */
  done(sentence: string, facts: Facts): Promise<void>;
  /** Text on stdout as given; in formats for programs the facts instead, as JSON on one line. */
  line(text: string, facts: Facts): Promise<void>;
  /** A request that was not sent: text as given; in formats for programs the facts, like those of a completed write. */
  unsent(text: string, facts: Facts): Promise<void>;
  /** An outline on stderr. */
  outline(lines: Iterable<OutlineLine>): Promise<void>;
  /** A sentence on stderr. */
  note(sentence: string): Promise<void>;
  warn(sentence: string): Promise<void>;
}

/** What a style may know about where its text goes. */
export interface Destination {
  readonly isTerminal: boolean;
  /** Width in columns. */
  readonly columns: number;
  readonly colour: boolean;
  /** No box drawing. */
  readonly plain: boolean;
  /** Tables and csv begin with the names of their columns. */
  readonly headers: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Masks secrets. A style that cuts a text does this first: the rest of a cut secret is not recognised. */
  readonly clean: (text: string) => string;
}

/** A sentence about a list, beside its text. */
export interface Remark {
  readonly remark: string;
}

export const formats = ['table', 'wide', 'cards', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'md'] as const;
export type Format = (typeof formats)[number];

/** How a list is shown to people. */
export type ListForm = Extract<Format, 'table' | 'wide' | 'cards' | 'md'>;
