import { CliError, invalidInput } from '../cli/errors.ts';
import type { Method } from '../cli/ports.ts';
import { jsonTokens } from '../model/json-text.ts';
import { isRecord, onlyListIn, type ServiceRecord } from '../model/records.ts';
import { decodeFully } from '../model/segment.ts';
import type { Answer } from './answer.ts';
import type { Service } from './client.ts';
import { dialects } from './dialect.ts';
import type { Guard, Intent, OperationEffect } from './guard.ts';
import {
  type FurtherOperation,
  furtherOperations,
  methods,
  type Operation,
  type OperationId,
  operations,
} from './operations.ts';
import { type WalkOptions, walk } from './paging.ts';
import type { ListAnswer } from './reading.ts';
import type { Safety } from './retry.ts';
import { type Earlier, earlierOf, type Send, type Sent, type ServiceRequest } from './send.ts';

/** Any request of the service, as a person spells it. */
export interface RawRequest {
  readonly method: Method;
  /** From the root, encoded, without a query: `/api/...` is the identity area, everything else the other URL. */
  readonly path: string;
  /** Encoded, without the question mark; empty when there is none. */
  readonly query: string;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Makes a POST `keyed`; of no meaning otherwise. */
  readonly idempotencyKey?: string | undefined;
  /** Do not repeat what may have been carried out: no setting or dialect says that the service honours the key. */
  readonly leavesDoubt?: boolean;
}

/** What a guard reads of a request. */
type Target = Pick<RawRequest, 'method' | 'path' | 'query' | 'body'>;

/** A list that comes in pages. */
export interface RawPages {
  /** The answer to the first request. */
  readonly first: Answer;
  /** The records of the pages that follow; `undefined` when the first answer is not a list. */
  readonly more: AsyncIterable<readonly unknown[]> | undefined;
}

/** Access to the service without the table of operations: nothing is renamed, in either direction. */
export interface Raw {
  /** What a request is about, before it is sent. */
  addressed(request: Pick<RawRequest, 'method' | 'path'>): Addressed;
  /**
   * Returns when the settings allow a request, as far as it is known, before anything is read for it.
   *
   * @param request its query need not be encoded.
   * @throws {CliError} `blocked`, exit 11.
   */
  permit(request: Target): void;
  /** @throws {OutcomeUnknown} when a write may have been carried out and no answer says so. */
  send(request: RawRequest): Promise<Answer>;
  /**
   * Sends a GET for every page of a list, with the names that the dialect has for it.
   *
   * @throws {CliError} exit 2 when the query says which page already.
   */
  pages(request: RawRequest): Promise<RawPages>;
}

const PAGE_SIZE = 100;

/** What raw requests need besides the service. */
interface RawOptions {
  readonly send: Send;
  readonly guard: Guard;
  readonly warn: WalkOptions['warn'];
}

/** Binds raw requests to one service. */
export function createRaw(service: Service, { send, guard, warn }: RawOptions): Raw {
  const sendRaw = async (request: RawRequest, earlier?: Earlier): Promise<Sent> => {
    const sent = await send(serviceRequest(request, service), earlier);
    if ('past' in sent) throw new Error('a pause that was not requested');
    return sent;
  };
  return {
    addressed: ({ method, path }) => addressed(method, path),
    permit: (request) => {
      if (safetyOf(request) !== 'read') guard(intentOf(request));
    },
    send: (request) => sendRaw(request),
    pages: async (request) => {
      const { names, size } = pagingOf(request, service);
      const pageRequest = (number: number) => {
        const sized = size === undefined ? { [names.size]: String(PAGE_SIZE) } : {};
        const paging = String(new URLSearchParams({ ...sized, [names.number]: String(number) }));
        return { ...request, query: joinQueries(request.query, paging) };
      };
      // A first page that is not a list is still an answer.
      const first = await sendRaw(pageRequest(1));
      if (onlyListIn(first.body) === undefined) {
        if (first.body !== undefined) await warn('The response is not a list and has no further pages.');
        return { first, more: undefined };
      }
      const pages = walk(
        async ({ number }) => {
          if (number === 1) return readPage(first, number);
          const asked = pageRequest(number);
          let answer = await sendRaw(asked);
          while (onlyListIn(answer.body) === undefined && answer.body !== undefined)
            answer = await sendRaw(asked, earlierOf(answer, notAList(number)));
          return readPage(answer, number);
        },
        { limit: Number.POSITIVE_INFINITY, pageSize: size ?? PAGE_SIZE },
        { idOf: ({ id }) => id, warn },
      );
      return { first, more: afterTheFirst(pages) };
    },
  };
}

/** Queries as one; any may be empty. */
export function joinQueries(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

function serviceRequest(request: RawRequest, service: Service): ServiceRequest {
  const { method, path, query, body, idempotencyKey: key, leavesDoubt } = request;
  const { area, operationId } = addressed(method, path);
  const base = area === 'identity' ? service.identityUrl : service.baseUrl;
  return {
    method,
    ...intentOf(request),
    url: `${base}${path}${query === '' ? '' : `?${query}`}`,
    safety: safetyOf(request),
    leavesDoubt,
    scopes: operationId === undefined ? [] : service.dialect.scopes(operationId),
    plainText: true,
    body,
    headers: key === undefined ? {} : { [service.idempotencyHeader.toLowerCase()]: key },
  };
}

function intentOf({ method, path, query, body }: Target): Intent {
  const { ids, effect } = addressed(method, path);
  const inBody = effect === 'reads' || body === undefined ? [] : propertyIdsIn(body);
  return { effect, ids: [...ids, ...idsInQuery(query), ...inBody], does: `send ${method} ${path}` };
}

function safetyOf({ method, idempotencyKey }: Pick<RawRequest, 'method' | 'idempotencyKey'>): Safety {
  return method === 'POST' && idempotencyKey !== undefined ? 'keyed' : methods[method].safety;
}

/** The names under which pages are asked for, and the page size that the query has. */
function pagingOf({ query }: RawRequest, { dialect }: Service) {
  const names = dialect.paging;
  const given = [...new URLSearchParams(query)];
  const under = (name: string) => given.find(([each]) => plainly(each) === plainly(name));
  const number = under(names.number);
  if (number !== undefined) {
    const reason = `asks for every page, and the query has ${number[0]} already: leave one of them out`;
    throw invalidInput([{ field: '--paginate', reason }]);
  }
  const size = under(names.size)?.[1];
  // What is no number goes out as it is, and the service judges it.
  return { names, size: size === undefined ? undefined : Number(size) || PAGE_SIZE };
}

/** Some services take both spellings of a name. */
function plainly(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/**
 * The page with each entry as a record that only an equal entry of another page equals: within one page, two that are
 * alike are two.
 */
function readPage(answer: Answer, number: number): ListAnswer {
  const { body, requestId } = answer;
  const list = listOf(answer, number);
  const times = new Map<string, number>();
  const items = list.items.map((entry): ServiceRecord => {
    const text = JSON.stringify(entry);
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { id: `${time} ${text}`, entry };
  });
  const count = isRecord(body) ? body['count'] : undefined;
  const counted = typeof count === 'number' && Number.isSafeInteger(count) ? count : undefined;
  return { items, count: counted, requestId };
}

function listOf({ body }: Answer, number: number): { readonly items: readonly unknown[] } {
  const list = body === undefined ? { items: [] } : onlyListIn(body);
  if (list === undefined) throw notAList(number);
  return list;
}

function notAList(number: number): CliError {
  return new CliError('malformed_answer', `the service's answer to page ${number} is not a list`);
}

async function* afterTheFirst(pages: ReturnType<typeof walk>): AsyncGenerator<readonly unknown[]> {
  let isFirst = true;
  for await (const { items } of pages) {
    if (!isFirst) yield items.map(({ entry }) => entry);
    isFirst = false;
  }
}

/** What a request is about. */
interface Addressed {
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
function propertyIdsIn(json: string): readonly string[] {
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
  const { effect } = methods[method];
  return effect !== 'reads' && segments.some(isActions) ? 'destroys' : effect;
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
