import type { Settings } from '../../config/resolve.ts';
import type { Kind } from '../../manifest/entry.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Change } from './changes.ts';
import type { FieldPath } from './text.ts';

/** What is wrong with one value of an edited text. */
export interface Problem {
  readonly field: FieldPath;
  readonly reason: string;
}

/** A record that is edited, and how it is written. */
export interface Subject {
  readonly kind: Kind;
  readonly id: string;
  /** In the middle of a sentence: `property BER`. */
  readonly name: string;
  /** Where it is stored: `the sandbox`, `profile chain, https://api.example.com`. */
  readonly place: string;
  /** What the text says above the fields, one line each. */
  readonly advice: readonly string[];
  /** Where changes of it go, in words, for a person who is told before being asked. */
  destination(): string;
  /** Something to type that goes on with a text of it that was kept. */
  resumedBy(path: string): string;
  /** Facts where nothing was sent. */
  readonly unchanged: Readonly<Record<string, unknown>>;
  /** The fields of a record that an edit cannot change. */
  fixedIn(record: ServiceRecord): readonly string[];
  /** Why such a field cannot be changed here, as said of it. */
  whyFixed(name: string): string;
  /** Whether the field holds texts: then a plain scalar is its source text. `seen` is what the record shows of it. */
  isText(field: FieldPath, seen: unknown): boolean;
  read(): Promise<ServiceRecord>;
  /** What has to be sent, both sides without the fixed fields. */
  changesBetween(before: ServiceRecord, after: ServiceRecord): readonly Change[];
  /** Whether a value must be of the type that is shown; the service judges otherwise. */
  readonly mindsTypes: boolean;
  /** @param after what could be changed, as the text has it. */
  problemsOf(changes: readonly Change[], after: ServiceRecord): Promise<readonly Problem[]>;
  /** @throws {CliError} exit 11 without consent. */
  consent(changes: readonly Change[], record: ServiceRecord): Promise<void>;
  /** @returns reports what was sent. */
  send(changes: readonly Change[], record: ServiceRecord): Promise<() => Promise<void>>;
}

/** Where records are stored, for a person: `the sandbox`, or the profile and the URL. */
export function placeOf({ sandbox, profile }: Settings, url: string | undefined): string {
  if (sandbox) return 'the sandbox';
  return [profile && `profile ${profile.value}`, url].filter(Boolean).join(', ');
}
