import type { Settings } from '../../config/resolve.ts';
import { snakeCaseName } from '../../model/fields.ts';
import { nearest } from '../../model/names.ts';
import { type PatchStep, pointerTo } from '../../model/patch.ts';
import { camelCase } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { neutraliseLine, shellLine } from '../../out/text.ts';
import { canonical } from '../../seed/canonical.ts';
import type { Kind } from '../../seed/entry.ts';
import type { FieldPath, Written } from './text.ts';

/** One value that was changed. */
export interface Change {
  /** Names from the record to the value, as the text has them. */
  readonly field: FieldPath;
  readonly step: Extract<PatchStep, { readonly op: 'add' | 'replace' | 'remove' | 'test' }>;
}

/** Objects whose own fields the contract names; what is in other ones, languages too, keeps its spelling. */
const nested: ReadonlySet<string> = new Set(['location', 'bank_account']);

/**
 * The fewest changes that make one record the other, at the contract's camelCase paths: a step for each value, and for
 * each language. A list is one value. The order of fields is none.
 */
export function changesBetween(
  before: ServiceRecord,
  after: ServiceRecord,
  above: FieldPath = [],
): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly Change[] => {
    const field = [...above, name];
    const path = contractPath(field);
    if (!Object.hasOwn(after, name)) return [{ field, step: { op: 'remove', path } }];
    const value = after[name];
    if (!Object.hasOwn(before, name)) return [{ field, step: { op: 'add', path, value } }];
    const seen = before[name];
    if (isRecord(seen) && isRecord(value)) return changesBetween(seen, value, field);
    return canonical(seen) === canonical(value) ? [] : [{ field, step: { op: 'replace', path, value } }];
  });
}

/** The JSON Pointer of a field, known names as the contract writes them in the paths of updates. */
function contractPath([first = '', ...inner]: FieldPath): string {
  const within = nested.has(first) ? inner.map(contractName) : inner;
  return pointerTo(contractName(first), ...within);
}

/** Only names that are known have two spellings. */
function contractName(name: string): string {
  const spelt = camelCase(name.replaceAll('_', '-'));
  return snakeCaseName(spelt) === name ? spelt : name;
}

interface Edited {
  readonly subject: Subject;
  readonly record: ServiceRecord;
  /** What could be changed, and was not yet. */
  readonly before: ServiceRecord;
  /** The same as the text has it. */
  readonly after: ServiceRecord;
  readonly written: Written;
  readonly changes: readonly Change[];
}

/** All that is wrong with an edited text: what cannot be changed, values of another type, and what the subject says. */
export async function problemsIn(edited: Edited): Promise<readonly Problem[]> {
  const { subject, record, after, written, changes } = edited;
  const own = await subject.problemsOf(changes, after);
  const named = new Set(own.map(({ field }) => field.join('.')));
  const others = changes
    .filter(({ field }) => !named.has(field.join('.')))
    .flatMap((change) => typeProblems(change, edited));
  return [...fixedProblems(subject, record, written.fields), ...own, ...others];
}

/**
 * New names that nobody knows: a misspelt one must not be sent as a field of its own.
 *
 * @param known by the object they stand in; those of the record itself under ''. Other objects may hold any.
 * @param otherwise the beginning of a command line that sends such a field all the same.
 */
export function unknownNames(
  changes: readonly Change[],
  known: ReadonlyMap<string, readonly string[]>,
  otherwise: string,
): readonly Problem[] {
  return changes.flatMap(({ field, step }) => {
    if (step.op !== 'add') return [];
    const inner = isRecord(step.value) && field.length === 1 ? Object.keys(step.value) : [];
    return [field, ...inner.map((name) => [...field, name])].flatMap((path) =>
      nameProblem(path, known, otherwise),
    );
  });
}

function nameProblem(
  field: FieldPath,
  known: ReadonlyMap<string, readonly string[]>,
  otherwise: string,
): readonly Problem[] {
  const name = field.at(-1) ?? '';
  const names = field.length > 2 ? undefined : known.get(field.slice(0, -1).join('.'));
  if (names === undefined || names.includes(name)) return [];
  const meant = nearest(name, names);
  const line = neutraliseLine(`${otherwise} ${shellLine([`${pointerTo(...field)}=JSON`])}`);
  const advice = meant === undefined ? `to send it all the same: ${line}` : `did you mean ${meant}?`;
  return [{ field, reason: `is no field that is known here; ${advice}` }];
}

/** Somebody may take the comment sign away; only another value is wrong. */
function fixedProblems(subject: Subject, record: ServiceRecord, fields: ServiceRecord): readonly Problem[] {
  return subject
    .fixedIn(record)
    .filter((name) => Object.hasOwn(fields, name))
    .filter((name) => !Object.hasOwn(record, name) || canonical(fields[name]) !== canonical(record[name]))
    .map((name) => ({ field: [name], reason: subject.whyFixed(name) }));
}

/** A number that JSON cannot carry would be sent as a text: nobody but us can tell. */
function typeProblems({ field, step }: Change, { subject, before, written }: Edited): readonly Problem[] {
  if (step.op !== 'replace' || !(subject.mindsTypes || written.isUnsendable(field))) return [];
  const wanted = typeof valueAt(before, field);
  if (wanted === typeof step.value) return [];
  if (wanted === 'boolean') return [{ field, reason: 'must be true or false' }];
  return wanted === 'number' ? [{ field, reason: 'must be a number that can be sent exactly' }] : [];
}

function valueAt(record: ServiceRecord, field: FieldPath): unknown {
  return field.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    record,
  );
}

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
