import { plain } from '../model/access.ts';
import { CliError, invalidInput } from '../model/errors.ts';
import type { Method } from '../model/ports.ts';
import { isRecord, onlyListIn, type ServiceRecord } from '../model/records.ts';
import { decodeFully } from '../model/text.ts';
import type { Answer, ServiceRequest } from './answer.ts';
import { dialects } from './apaleo.ts';
import { type Guard, type Intent, idsInBody, idsInQuery } from './guard.ts';
import {
  bodyIds,
  kindOf,
  methods,
  type Operation,
  type OperationEffect,
  type OperationId,
  operations,
} from './operations.ts';
import { type ListAnswer, PAGE_SIZE, type WalkOptions, walk } from './paging.ts';
import { countIn, keyHeader, type Service, urlOf } from './reading.ts';
import { type Earlier, earlierOf, type Send, type Sent } from './send.ts';

/** Any request to the service. */
export interface RawRequest {
  readonly method: Method;
  /** From the root, encoded, without a query: `/api/...` is the identity area, everything else the other URL. */
  readonly path: string;
  /** Encoded, without the question mark; may be empty. */
  readonly query: string;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Makes a POST `keyed`; has no meaning otherwise. */
  readonly idempotencyKey?: string | undefined;
  /** Do not repeat what may have been carried out: no setting or dialect says that the service honours the key. */
  readonly leavesDoubt?: boolean;
}

/** Binds raw requests to one service. */
export function createRaw(service: Service, send: Send, guard: Guard, warn: WalkOptions['warn']) {
  const sendRaw = async (request: RawRequest, earlier?: Earlier): Promise<Sent> => {
    const sent = await send(serviceRequest(request, service), earlier);
    if ('past' in sent) throw new Error('a pause that was not requested');
    return sent;
  };
  return {
    /**
     * Returns when the settings allow a request, as far as it is known, before anything is read for it.
     *
     * @param request its query need not be encoded.
     * @throws {CliError} `blocked`, exit 11.
     */
    permit(request: RawRequest): void {
      if (methods[request.method].safety !== 'read') guard(intentOf(request));
    },

    /** @throws {OutcomeUnknown} when a write may have been carried out and no answer says so. */
    send: (request: RawRequest): Promise<Answer> => sendRaw(request),

    /**
     * Sends a GET for every page of a list, with the dialect's names of the parameters.
     *
     * @returns the answer to the first request, and the records of the further pages; `undefined` if it is not a list.
     * @throws {CliError} exit 2 when the query asks for a page already.
     */
    async pages(request: RawRequest) {
      const { names, size } = pagingOf(request, service);
      const page = (number: number): RawRequest => {
        const sized = size === undefined ? { [names.size]: String(PAGE_SIZE) } : {};
        const paging = String(new URLSearchParams({ ...sized, [names.number]: String(number) }));
        return { ...request, query: joinQueries(request.query, paging) };
      };
      // A first page that is not a list is still an answer.
      const first = await sendRaw(page(1));
      if (onlyListIn(first.body) === undefined) {
        if (first.body !== undefined) await warn('The response is not a list and has no further pages.');
        return { first, more: undefined };
      }
      const fetchPage = async ({ number }: { readonly number: number }) => {
        let answer = number === 1 ? first : await sendRaw(page(number));
        while (onlyListIn(answer.body) === undefined && answer.body !== undefined) {
          const sentence = `the service's answer to page ${number} is not a list`;
          const cause = new CliError('malformed_answer', sentence);
          answer = await sendRaw(page(number), earlierOf(answer, cause));
        }
        return readPage(answer);
      };
      const extent = { limit: Number.POSITIVE_INFINITY, pageSize: size ?? PAGE_SIZE };
      return { first, more: afterTheFirst(walk(fetchPage, extent, { idOf: ({ id }) => id, warn })) };
    },
  };
}

/** Joins queries, any of which may be empty. */
export function joinQueries(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

function serviceRequest(request: RawRequest, service: Service): ServiceRequest {
  const { method, path, query, body, idempotencyKey: key, leavesDoubt } = request;
  const { area, operationId } = addressed(method, path);
  return {
    method,
    ...intentOf(request),
    url: urlOf(service, area, path, query),
    safety: method === 'POST' && key !== undefined ? 'keyed' : methods[method].safety,
    kind: operationId && kindOf(operationId),
    key,
    leavesDoubt,
    scopes: operationId === undefined ? [] : service.dialect.scopes(operationId),
    plainText: true,
    body,
    headers: keyHeader(service, key),
  };
}

function intentOf({ method, path, query, body }: RawRequest): Intent {
  const { ids, effect, operation } = addressed(method, path);
  const judged = { bodyIds: operation?.bodyIds ?? [...bodyIds, 'email'], effect };
  const inBody = effect === 'reads' || body === undefined ? [] : idsInBody(body, judged);
  return { effect, ids: [...ids, ...idsInQuery(query), ...inBody], does: `send ${method} ${path}` };
}

/** The names of the parameters of a page, and the page size in the query. */
function pagingOf({ query }: RawRequest, { dialect }: Service) {
  const names = dialect.paging;
  const given = [...new URLSearchParams(query)];
  const under = (name: string) => given.find(([each]) => plain(each) === plain(name));
  const number = under(names.number);
  if (number !== undefined) {
    const reason = `asks for every page, and the query has ${number[0]} already: leave one of them out`;
    throw invalidInput([{ field: '--paginate', reason }]);
  }
  const size = under(names.size)?.[1];
  // An invalid number is sent as it is; the service judges it.
  return { names, size: size === undefined ? undefined : Number(size) || PAGE_SIZE };
}

/** A page whose entries have ids to compare pages by: equal entries of one page are told apart by a number. */
function readPage({ body, requestId }: Answer): ListAnswer {
  const times = new Map<string, number>();
  const items = (onlyListIn(body)?.items ?? []).map((entry): ServiceRecord => {
    const text = JSON.stringify(entry);
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { id: `${time} ${text}`, entry };
  });
  return { items, count: isRecord(body) ? countIn(body['count']) : undefined, requestId };
}

async function* afterTheFirst(pages: ReturnType<typeof walk>): AsyncGenerator<readonly unknown[]> {
  let isFirst = true;
  for await (const { items } of pages) {
    if (!isFirst) yield items.map(({ entry }) => entry);
    isFirst = false;
  }
}

type Route = ReturnType<typeof routes>[number];

/** The known paths in their segments, in all dialects: a service may accept them whatever its dialect. */
function routes() {
  // The keys of the table are the ids by definition.
  const ids = Object.keys(operations) as OperationId[];
  return Object.values(dialects).flatMap((dialect) =>
    ids.map((id) => {
      const row: Operation = operations[id];
      return { id, row, parts: dialect.path(id).split('/').slice(1) };
    }),
  );
}

/**
 * Reads a path as services may: fixed parts in any case, nested encodings decoded, what follows a semicolon ignored.
 *
 * @param path from the root, without a query.
 */
export function addressed(method: Method, path: string) {
  const segments = segmentsIn(path);
  const bare = segments.map((segment) => segment.replace(/;.*/s, ''));
  // Of several that match, the one with the most fixed parts: `/properties/$count` is no property.
  const known = [...routes()].sort((a, b) => fixedParts(b) - fixedParts(a));
  const match = known.find(
    ({ row, parts }) =>
      row.method === method && parts.length === bare.length && depth(parts, bare) === bare.length,
  );
  const nearest = match ?? known.reduce((a, b) => (depth(b.parts, bare) > depth(a.parts, bare) ? b : a));
  const fixed = nearest.parts.slice(0, depth(nearest.parts, bare));
  const effect = match?.row.effect ?? effectOf(method, bare);
  return {
    area: bare[0]?.toLowerCase() === 'api' ? ('identity' as const) : ('inventory' as const),
    /** The row of the contract, in any spelling of a dialect; `undefined` if there is none. */
    operation: match?.row,
    operationId: match?.id,
    /** What it does; `undefined` for an unknown path. */
    does: match?.row.does,
    effect,
    /** What `api` asks for: whatever destroys needs a name. */
    consent: match === undefined && effect === 'destroys' ? ('name' as const) : match?.row.consent,
    /** The name to type: the id of the record. */
    name: nameIn(bare),
    /** What may be the id of a record, decoded: all segments but the fixed parts of known paths. Guards read it. */
    ids: segments.filter((_, index) => isPlaceholder(fixed[index] ?? '{}')),
    /** Subject ids or e-mail addresses of users, decoded. */
    users: bare.flatMap((segment, index) => userIn(segment, bare[index - 1])),
  };
}

/** The segments of a path, fully decoded: nested encodings hide nothing. */
export function segmentsIn(path: string): readonly string[] {
  return path.split('/').slice(1).map(decodeFully);
}

/** How many leading segments match a known path. */
function depth(parts: readonly string[], segments: readonly string[]): number {
  const end = parts.findIndex((part, index) => {
    const segment = segments[index];
    return segment === undefined || !(isPlaceholder(part) || part === segment.toLowerCase());
  });
  return end === -1 ? parts.length : end;
}

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

function userIn(segment: string, before = ''): readonly string[] {
  return /^users?(?![a-z])/i.test(before) ? [segment] : [];
}
