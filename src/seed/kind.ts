import { choiceProblem, nearest, suggestion } from '../model/names.ts';
import type { ServiceRecord } from '../model/records.ts';
import { type Kind, kinds } from './entry.ts';

/** How messages call one entry of a kind, and several. */
export const nouns: Readonly<Record<Kind, readonly [one: string, several: string]>> = {
  property: ['a property', 'properties'],
  invitation: ['an invitation', 'invitations'],
  user: ['a user', 'users'],
};

/** The lists of a manifest. */
export const lists: ReadonlyMap<string, Kind> = new Map([
  ['properties', 'property'],
  ['invitations', 'invitation'],
  ['users', 'user'],
]);

/** The part of a manifest in which an export names what it lacks. */
export const LEFT_OUT = 'left_out';

/** Fields that identify the kind of an entry. */
export const identifying: readonly string[] = [
  'kind',
  'code',
  'subject_id',
  'enabled',
  'property_roles',
  'email',
];

/** What states the kind besides the entry itself. */
export interface KindSource {
  /** The list that it stands in, or the header of its table. */
  readonly listed?: Kind | undefined;
  /** The one kind that is wanted. */
  readonly only?: Kind | undefined;
}

/** The kind of an entry, or what is wrong with it. */
export type FoundKind =
  | { readonly kind: Kind; readonly problem?: undefined }
  | { readonly kind?: undefined; readonly problem: { readonly field?: string; readonly reason: string } };

/** What an entry is: by its field `kind`, else by where it stands, else by its fields. */
export function kindOf(fields: ServiceRecord, { listed, only }: KindSource): FoundKind {
  const stated = statedKind(fields);
  if (stated.problem !== undefined) return { problem: { field: 'kind', reason: stated.problem } };
  if (stated.kind !== undefined && listed !== undefined && stated.kind !== listed) {
    const reason = `says ${stated.kind}, but the entry is in the list of ${nouns[listed][1]}`;
    return { problem: { field: 'kind', reason } };
  }
  const byFields = kindByFields(Object.keys(fields));
  const kind = stated.kind ?? listed ?? (isOther(byFields, only) ? byFields : (only ?? byFields));
  if (kind === undefined) return { problem: { reason: unknownKind(fields) } };
  return isOther(kind, only) ? { problem: { reason: `is ${nouns[kind][0]}: ${advice(only)}` } } : { kind };
}

/** Whether something is of a kind, and not of the one that is wanted. */
export function isOther(kind: Kind | undefined, only: Kind | undefined): only is Kind {
  return kind !== undefined && only !== undefined && kind !== only;
}

/** The kind that field names identify, or `undefined`. */
export function kindByFields(names: readonly string[]): Kind | undefined {
  if (names.includes('code')) return 'property';
  if (['subject_id', 'enabled', 'property_roles'].some((name) => names.includes(name))) return 'user';
  return names.includes('email') ? 'invitation' : undefined;
}

/** Whether an object is a manifest, and not an entry whose properties are a list of ids. */
export function isManifest(value: ServiceRecord): boolean {
  const names = Object.keys(value);
  return (
    names.some((name) => lists.has(name) || name === LEFT_OUT) &&
    !names.some((name) => identifying.includes(name))
  );
}

function statedKind({ kind }: ServiceRecord): {
  readonly kind?: Kind | undefined;
  readonly problem?: string;
} {
  if (kind === undefined || kind === null || kind === '') return {};
  if (typeof kind !== 'string') return { problem: `must be ${kinds.join(', ')}` };
  const found = kinds.find((each) => each === kind);
  const problem = choiceProblem(kind, kinds);
  return found === undefined && problem !== undefined ? { problem } : { kind: found };
}

function unknownKind(fields: ServiceRecord): string {
  // The singular of a list is further from it than a slip of the finger.
  const listOf = (name: string) => kinds.flatMap((kind) => (kind === name ? [nouns[kind][1]] : [])).at(0);
  const meant = Object.keys(fields)
    .map((name) => listOf(name) ?? nearest(name, [...identifying, ...lists.keys()]))
    .find((name) => name !== undefined);
  return `is not a property, invitation or user: it has no kind, code, subject_id or email${suggestion(meant)}`;
}

/** What to do about an entry of another kind than the one that is wanted. */
export function advice(only: Kind): string {
  const wanted = nouns[only][1];
  return `${wanted} import takes ${wanted} only; innctl apply takes all kinds`;
}
