import { isDeepStrictEqual } from 'node:util';
import { normaliseValue, plainName, snakeCaseName } from './fields.ts';
import { isRecord, isSameSet, type ServiceRecord, valueAt } from './records.ts';

/** One step of a JSON Patch (RFC 6902). */
export type PatchStep =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** What a record that was read back says of a patch. */
export interface Comparison {
  /** Paths that the record shows with another value. */
  readonly different: readonly string[];
  /** Paths of which the record cannot tell: it does not show them, or the step leaves no trace of its own. */
  readonly unseen: readonly string[];
  /**
   * Paths that should be gone, in fields that the record does not show: so does a service that took the patch, and one
   * that did not and never shows them.
   */
  readonly absent: readonly string[];
}

/** What a record says of one step; `shown` where it shows what the step should have left. */
type Sight = 'shown' | keyof Comparison;

/** Fields that can be written and that the public service never shows: that they are missing says nothing. */
const neverShown = new Set(['default_check_in_time', 'default_check_out_time']);

/** The JSON Pointer (RFC 6901) of a field, its segments escaped. */
export function pointerTo(...segments: readonly string[]): string {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The segments of a JSON Pointer; that of the whole document has none. */
export function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Whether the same patch, sent twice, leaves what one leaves: only fields are set or removed, nothing is inserted
 * into an array, moved or copied.
 */
export function isRepeatable(steps: readonly PatchStep[]): boolean {
  return steps.every(
    ({ op, path }) => op === 'test' || op === 'replace' || (op !== 'move' && op !== 'copy' && !isEntry(path)),
  );
}

/** Whether the same patch is also taken where it was carried out before: no step removes or tests what may be otherwise by then. */
export function setsAlone(steps: readonly PatchStep[]): boolean {
  return steps.every(({ op, path }) => op === 'replace' || (op === 'add' && !isEntry(path)));
}

/** Whether a patch changes anything: one of tests alone leaves nothing that could be read. */
export function isWriting(steps: readonly PatchStep[]): boolean {
  return steps.some(({ op }) => op !== 'test');
}

/**
 * Compares a record with what a patch should have left. A step that a later one overrides is not looked at.
 *
 * @param record with its known fields in snake_case, as `normalise` gives it.
 */
export function compare(record: ServiceRecord, steps: readonly PatchStep[]): Comparison {
  const last = steps.filter(
    (step, index) => step.op !== 'test' && !steps.slice(index + 1).some((later) => isOverridden(step, later)),
  );
  const judged = last.map((step) => ({ path: step.path, sight: sightOf(step, record) }));
  const paths = (wanted: Sight) => judged.filter(({ sight }) => sight === wanted).map(({ path }) => path);
  return { different: paths('different'), unseen: paths('unseen'), absent: paths('absent') };
}

/**
 * Whether a record shows exactly what each step would write. Steps that remove, test, move or copy always change, or tell,
 * something.
 *
 * @param record the whole of it, all languages included, with its known fields in snake_case.
 */
export function changesNothing(record: ServiceRecord, steps: readonly PatchStep[]): boolean {
  return steps.every((step) => {
    if ((step.op !== 'add' && step.op !== 'replace') || isEntry(step.path)) return false;
    const names = namesIn(step.path);
    const [field = ''] = names;
    return isDeepStrictEqual(valueAt(record, names), normaliseValue(field, step.value));
  });
}

function isOverridden({ path }: PatchStep, later: PatchStep): boolean {
  return pathsChangedBy(later).some((other) => overlap(path, other, snakeCaseName));
}

/** The paths at which a step changes something; a test changes nothing. */
export function pathsChangedBy(step: PatchStep): readonly string[] {
  if (step.op === 'test') return [];
  return step.op === 'move' ? [step.path, step.from] : [step.path];
}

/**
 * Whether one pointer is the other, or leads into what stands there.
 *
 * @param spell gives names that are one and the same one spelling; otherwise known names in either spelling are, and
 * letters in any case.
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
  const value = 'value' in step ? step.value : null;
  if (!Object.hasOwn(record, field)) return value === null && !neverShown.has(field) ? 'absent' : 'unseen';
  if (isOpaque(record[field], inner)) return 'unseen';
  const seen = valueAt(record, [field, ...inner]);
  return includes(seen, normaliseValue(field, value)) ? 'shown' : 'different';
}

/** The segments of a path, known names in snake_case. */
function namesIn(path: string): readonly string[] {
  return segmentsOf(path).map(snakeCaseName);
}

/** A text where a language map was written, or an array: what lies in it cannot be seen. */
function isOpaque(value: unknown, inner: readonly string[]): boolean {
  return inner.length > 0 && value !== undefined && value !== null && !isRecord(value);
}

/** A path into an array: what stands there depends on what stood there before. */
function isEntry(path: string): boolean {
  return /\/(-|\d+)$/.test(path);
}

/**
 * Whether a value that a record shows is the one that was, or would be, sent. The service may show more fields than
 * were sent, and none where nothing is.
 */
export function includes(seen: unknown, sent: unknown): boolean {
  if (sent === null || sent === undefined) return seen === undefined || seen === null;
  if (Array.isArray(sent)) return includesList(seen, sent);
  if (typeof seen === 'string' && typeof sent === 'string') return bare(seen) === bare(sent);
  if (!isRecord(sent)) return seen === sent;
  return (
    isRecord(seen) && Object.entries(sent).every(([name, value]) => includes(ownValue(seen, name), value))
  );
}

/** Services keep the blanks around a text, and how its accents are composed, or not. */
function bare(text: string): string {
  return text.trim().normalize();
}

function includesList(seen: unknown, sent: readonly unknown[]): boolean {
  if (seen === null || seen === undefined) return sent.length === 0;
  if (!Array.isArray(seen)) return false;
  // A list of ids is a set: services keep its order and its repetitions or not.
  if (sent.every((entry) => typeof entry === 'string')) return isSameSet(seen, sent);
  return seen.length === sent.length && sent.every((entry, index) => includes(seen[index], entry));
}

function ownValue(record: ServiceRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
