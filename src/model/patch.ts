import { isDeepStrictEqual } from 'node:util';
import { normaliseValue, plainName, snakeCaseName } from './fields.ts';
import { timeFields } from './kinds.ts';
import { isRecord, isSameSet, memberOf, type ServiceRecord, valueAt } from './records.ts';

/** One step of a JSON Patch (RFC 6902). */
export type PatchStep =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** What a record that was read back shows of a patch. */
export interface Comparison {
  /** Paths that have another value, or none. */
  readonly different: readonly string[];
  /** Paths of times of day, which no service shows, or whose step leaves no trace. */
  readonly unseen: readonly string[];
}

/** What a record shows of one step; `shown` if it shows its result. */
type Sight = 'shown' | keyof Comparison;

/** The JSON Pointer (RFC 6901) of a field, its segments escaped. */
export function pointerTo(...segments: readonly string[]): string {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The segments of a JSON Pointer; none for the whole document. */
export function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Whether a patch is idempotent: it only sets and removes fields, and inserts, moves and copies nothing.
 */
export function isRepeatable(steps: readonly PatchStep[]): boolean {
  return steps.every(
    ({ op, path }) => op === 'test' || op === 'replace' || (op !== 'move' && op !== 'copy' && !isEntry(path)),
  );
}

/** Whether a patch can be sent again after it was applied: no step removes or tests what it may have changed. */
export function setsAlone(steps: readonly PatchStep[]): boolean {
  return steps.every(({ op, path }) => op === 'replace' || (op === 'add' && !isEntry(path)));
}

/** Whether a patch changes anything. One of `test` steps alone does not. */
export function isWriting(steps: readonly PatchStep[]): boolean {
  return steps.some(({ op }) => op !== 'test');
}

/**
 * Compares a record that was read back with the result of a patch. Steps that a later one overrides are ignored.
 *
 * @param record with its known fields in snake_case, as `normalise` gives it.
 */
export function compare(record: ServiceRecord, steps: readonly PatchStep[]): Comparison {
  const last = steps.filter(({ op, path }, index) => {
    const later = steps.slice(index + 1).flatMap(pathsChangedBy);
    return op !== 'test' && !later.some((other) => overlap(path, other, snakeCaseName));
  });
  const sights = last.map((step) => ({ path: step.path, sight: sightOf(step, record) }));
  const paths = (wanted: Sight) => sights.filter(({ sight }) => sight === wanted).map(({ path }) => path);
  return { different: paths('different'), unseen: paths('unseen') };
}

/**
 * Whether a record shows exactly what each step would write. A step that removes, tests, moves or copies always counts as
 * a change.
 *
 * @param record complete, with all languages, and its known fields in snake_case.
 */
export function changesNothing(record: ServiceRecord, steps: readonly PatchStep[]): boolean {
  return steps.every((step) => {
    if ((step.op !== 'add' && step.op !== 'replace') || isEntry(step.path)) return false;
    const names = namesIn(step.path);
    const [field = ''] = names;
    return isDeepStrictEqual(valueAt(record, names), normaliseValue(field, step.value));
  });
}

/** The paths that a step changes; a test changes nothing. */
export function pathsChangedBy(step: PatchStep): readonly string[] {
  if (step.op === 'test') return [];
  return step.op === 'move' ? [step.path, step.from] : [step.path];
}

/**
 * Whether one pointer equals the other, or leads into it.
 *
 * @param spell normalises names; by default known names in either spelling and any case are equal.
 */
export function overlap(path: string, other: string, spell: (name: string) => string = plainName): boolean {
  const [some, others] = [segmentsOf(path).map(spell), segmentsOf(other).map(spell)];
  const shorter = Math.min(some.length, others.length);
  return some.slice(0, shorter).every((name, index) => name === others[index]);
}

function sightOf(step: PatchStep, record: ServiceRecord): Sight {
  if (step.op === 'move' || step.op === 'copy' || isEntry(step.path)) return 'unseen';
  const [field, ...inner] = namesIn(step.path);
  if (field === undefined) return 'unseen';
  if (timeFields.includes(field) && !Object.hasOwn(record, field)) return 'unseen';
  // A text instead of a language map, or an array: its parts are not shown.
  if (inner.length > 0 && !isRecord(record[field] ?? {})) return 'unseen';
  const value = 'value' in step ? step.value : null;
  const seen = valueAt(record, [field, ...inner]);
  return includes(seen, normaliseValue(field, value)) ? 'shown' : 'different';
}

/** The segments of a path, known names in snake_case. */
export function namesIn(path: string): readonly string[] {
  return segmentsOf(path).map(snakeCaseName);
}

/** A path into an array, whose entries may move. */
function isEntry(path: string): boolean {
  return /\/(-|\d+)$/.test(path);
}

/**
 * Whether a shown value is the one that was sent. The service may show more fields than were sent, and omit those without a
 * value.
 */
export function includes(seen: unknown, sent: unknown): boolean {
  if (sent === null || sent === undefined) return seen === undefined || seen === null;
  if (Array.isArray(sent)) return includesList(seen, sent);
  if (typeof seen === 'string' && typeof sent === 'string') return bare(seen) === bare(sent);
  if (!isRecord(sent)) return seen === sent;
  return (
    isRecord(seen) && Object.entries(sent).every(([name, value]) => includes(memberOf(seen, name), value))
  );
}

/** Services may trim a text and normalise it. */
function bare(text: string): string {
  return text.trim().normalize();
}

function includesList(seen: unknown, sent: readonly unknown[]): boolean {
  if (seen === null || seen === undefined) return sent.length === 0;
  if (!Array.isArray(seen)) return false;
  // A list of ids is a set: services may reorder it and remove duplicates.
  if (sent.every((entry) => typeof entry === 'string')) return isSameSet(seen, sent);
  return seen.length === sent.length && sent.every((entry, index) => includes(seen[index], entry));
}
