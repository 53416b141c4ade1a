import { isRecord, type ServiceRecord } from '../records.ts';
import { normaliseValue, snakeCaseName } from './fields.ts';

/** One operation of a JSON Patch (RFC 6902). */
export type PatchStep =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** What a record that was read back says of a patch. */
export interface Comparison {
  /** Paths that the record shows with another value. */
  readonly different: readonly string[];
  /** Paths of which the record cannot tell: it does not show them, or the operation leaves no trace of its own. */
  readonly unseen: readonly string[];
}

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

/**
 * Compares a record with what a patch should have left. A step that a later one overrides is not looked at.
 *
 * @param record with its known fields in snake_case, as `normalise` gives it.
 */
export function compare(record: ServiceRecord, steps: readonly PatchStep[]): Comparison {
  const last = steps.filter(
    (step, index) => step.op !== 'test' && !steps.slice(index + 1).some((later) => isOverridden(step, later)),
  );
  const judged = last.map((step) => ({ path: step.path, isThere: isThere(record, step) }));
  return {
    different: judged.filter(({ isThere }) => isThere === false).map(({ path }) => path),
    unseen: judged.filter(({ isThere }) => isThere === undefined).map(({ path }) => path),
  };
}

function isOverridden({ path }: PatchStep, later: PatchStep): boolean {
  if (later.op === 'test') return false;
  const touched = later.op === 'move' ? [later.path, later.from] : [later.path];
  return touched.some((other) => overlap(path, other));
}

/** Whether one pointer is the other, or leads into what stands there; both spellings of a field are one. */
export function overlap(path: string, other: string): boolean {
  const [some, others] = [pointerTo(...namesIn(path)), pointerTo(...namesIn(other))];
  return isWithin(some, others) || isWithin(others, some);
}

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}

/** `undefined`: the record cannot tell. */
function isThere(record: ServiceRecord, step: PatchStep): boolean | undefined {
  if (step.op === 'move' || step.op === 'copy' || isEntry(step.path)) return undefined;
  const [field, ...inner] = namesIn(step.path);
  if (field === undefined) return undefined;
  const isHidden = ownValue(record, field) === undefined && neverShown.has(field);
  if (isHidden || isOpaque(ownValue(record, field), inner)) return undefined;
  const seen = valueAt(record, [field, ...inner]);
  if (step.op === 'remove') return seen === undefined || seen === null;
  if ('value' in step && step.value === null) return seen === undefined || seen === null;
  if (!Object.hasOwn(record, field)) return undefined;
  return 'value' in step && includes(seen, normaliseValue(field, step.value));
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

function valueAt(record: ServiceRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    record,
  );
}

/** The service may show more fields than were sent, and none where nothing is. */
function includes(seen: unknown, sent: unknown): boolean {
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
  if (sent.every((entry) => typeof entry === 'string')) return isSameSet(new Set(seen), new Set(sent));
  return seen.length === sent.length && sent.every((entry, index) => includes(seen[index], entry));
}

function isSameSet(some: ReadonlySet<unknown>, others: ReadonlySet<unknown>): boolean {
  return some.size === others.size && [...some].every((each) => others.has(each));
}

function ownValue(record: ServiceRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
