import { decodeFully } from '../checks/segment.ts';
import type { OperationEffect } from '../http/guard.ts';
import { jsonTokens } from '../json-text.ts';
import type { Method } from '../transport.ts';
import { dialects } from './dialects/dialects.ts';
import {
  type FurtherOperation,
  furtherOperations,
  type Operation,
  type OperationId,
  operations,
} from './operations.ts';

/** What a request is about. */
export interface Addressed {
  readonly area: Operation['area'];
  /** The row of the contract that this request is, if it is one, however a dialect spells it. */
  readonly operation: Operation | undefined;
  readonly operationId: OperationId | undefined;
  /** What it does; `undefined` where the path is not known. */
  readonly does: string | undefined;
  readonly effect: OperationEffect;
  /** What `api` asks for: whatever destroys needs a name. */
  readonly consent: Operation['consent'];
  /** The name to type for it: the id of the record. */
  readonly name: string;
  /** What may be the id of a record, decoded: all of the path but for what the known paths are called by. Guards read it. */
  readonly ids: readonly string[];
  /** Subject ids or e-mail addresses of users, decoded. */
  readonly users: readonly string[];
}

/** A known path, taken apart. */
interface Route {
  readonly id: OperationId | undefined;
  readonly row: FurtherOperation;
  readonly parts: readonly string[];
}

/** The paths of all dialects: a service may take them whatever it is said to be. */
function* routes(): Generator<Route> {
  // The keys of the table are the ids by definition.
  for (const id of Object.keys(operations) as OperationId[]) {
    for (const dialect of Object.values(dialects)) {
      yield { id, row: operations[id], parts: dialect.path(id).split('/').slice(1) };
    }
  }
  for (const row of furtherOperations) yield { id: undefined, row, parts: row.path.split('/').slice(1) };
}

/**
 * Reads a path as the service may: letters of the fixed parts in any case, encodings of encodings undone, what follows a
 * semicolon left out.
 *
 * @param path from the root, without a query.
 */
export function addressed(method: Method, path: string): Addressed {
  const segments = segmentsIn(path);
  const bare = segments.map((segment) => segment.replace(/;.*/s, ''));
  const known = [...routes()].sort((a, b) => fixedParts(b) - fixedParts(a));
  const match = known.find(
    ({ row, parts }) =>
      row.method === method && parts.length === bare.length && depth(parts, bare) === bare.length,
  );
  const nearest = match ?? known.reduce((a, b) => (depth(b.parts, bare) > depth(a.parts, bare) ? b : a));
  const fixed = nearest.parts.slice(0, depth(nearest.parts, bare));
  const effect = match?.row.effect ?? effectOf(method, bare);
  return {
    area: bare[0]?.toLowerCase() === 'api' ? 'identity' : 'inventory',
    operation: match?.id && operations[match.id],
    operationId: match?.id,
    does: match?.row.does,
    effect,
    consent: match === undefined && effect === 'destroys' ? 'name' : match?.row.consent,
    name: nameIn(bare),
    ids: segments.filter((_, index) => isPlaceholder(fixed[index] ?? '{}')),
    users: bare.flatMap((segment, index) => userIn(segment, bare[index - 1])),
  };
}

/**
 * What may be the id of a record in a query, decoded: the values, and names that are not written like the name of a
 * parameter. A plus is read as itself and as a blank.
 *
 * @param query without the question mark, encoded or not.
 */
export function idsInQuery(query: string): readonly string[] {
  const texts = query.split('&').flatMap((pair) => {
    const [name = '', ...values] = pair.split('=');
    const isParameter = values.length > 0 && /^[a-z]\w*$/.test(decodeFully(name));
    return [...(isParameter ? [] : [name]), values.join('=')].map(decodeFully);
  });
  const ids = texts.flatMap((text) => [text, text.replaceAll('+', ' ')]);
  return [...new Set(ids.filter((text) => text.trim() !== ''))];
}

/**
 * The properties that a body names under `propertyId`, however it is spelt, and as a step of a patch; all texts of a
 * body that has such a step.
 *
 * @param json well-formed; of a name that stands there twice each value counts.
 */
export function propertyIdsIn(json: string): readonly string[] {
  const named = new Set<string>();
  let isNaming = false;
  let isPatched = false;
  for (const { isName, text } of textsIn(json)) {
    if (isName) isNaming = isPropertyId(text);
    else if (isNaming) named.add(text);
    isPatched ||= text.startsWith('/') && text.split('/').some(isPropertyId);
  }
  return isPatched ? [...new Set([...textsIn(json)].map(({ text }) => text))] : [...named];
}

/** The segments of a path, each decoded until nothing is left to decode: what is encoded twice hides nothing. */
export function segmentsIn(path: string): readonly string[] {
  return path.split('/').slice(1).map(decodeFully);
}

/** How many segments a known path has from its beginning. */
function depth(parts: readonly string[], segments: readonly string[]): number {
  const end = parts.findIndex((part, index) => {
    const segment = segments[index];
    return segment === undefined || !(isPlaceholder(part) || part === segment.toLowerCase());
  });
  return end === -1 ? parts.length : end;
}

/** Where several fit, the one with the most fixed parts: `/properties/$count` is no property. */
function fixedParts({ parts }: Route): number {
  return parts.filter((part) => !isPlaceholder(part)).length;
}

function isPlaceholder(part: string): boolean {
  return part.startsWith('{');
}

function effectOf(method: Method, segments: readonly string[]): OperationEffect {
  if (method === 'GET' || method === 'HEAD') return 'reads';
  if (method === 'DELETE' || segments.some(isActions)) return 'destroys';
  return method === 'POST' ? 'creates' : 'changes';
}

/** An unknown action may destroy: `property-actions`, `propertyActions`; not `transactions`. */
function isActions(segment: string): boolean {
  return /(?:^|[^a-z])actions?(?![a-z])/i.test(segment) || /[a-z]Actions?(?![a-z])/.test(segment);
}

/** The id comes last, or behind the name of the actions. */
function nameIn(segments: readonly string[]): string {
  const actions = segments.findIndex(isActions);
  const id = actions === -1 ? segments.at(-1) : (segments[actions + 1] ?? segments[actions]);
  return id ?? '';
}

function* textsIn(json: string): Generator<{ readonly isName: boolean; readonly text: string }> {
  for (const { kind, start, end } of jsonTokens(json)) {
    if (kind === 'open' || kind === 'close') continue;
    const text = json.slice(start, end);
    yield { isName: kind === 'name', text: kind === 'number' ? text : String(JSON.parse(text)) };
  }
}

/** `users/u-1` and `users('u-1')`. */
function userIn(segment: string, before = ''): readonly string[] {
  const [, key] = /^users?\(\s*['"]?(.+?)['"]?\s*\)$/i.exec(segment) ?? [];
  if (key !== undefined) return [key];
  return /^users?(?![a-z])/i.test(before) ? [segment] : [];
}

function isPropertyId(name: string): boolean {
  return /^propertyids?$/i.test(name.replaceAll(/[_-]/g, ''));
}
