import { CliError, invalidInput } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import type { Guard, Intent } from '../http/guard.ts';
import type { Safety } from '../http/retry.ts';
import type { Send, ServiceRequest } from '../http/send.ts';
import { isRecord, onlyListIn, type ServiceRecord } from '../records.ts';
import type { Method } from '../transport.ts';
import { type Addressed, addressed, idsInQuery, propertyIdsIn } from './addressed.ts';
import type { Service } from './client.ts';
import { type WalkOptions, walk } from './paging.ts';
import type { ListAnswer } from './reading.ts';

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
  /** The records of the pages that follow; `undefined` when the first answer is no list. */
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
  const sendRaw = (request: RawRequest, isCredible?: ServiceRequest['isCredible']) =>
    send({ ...serviceRequest(request, service), isCredible });
  return {
    addressed: ({ method, path }) => addressed(method, path),
    permit: (request) => {
      if (safetyOf(request) !== 'read') guard(intentOf(request));
    },
    send: (request) => sendRaw(request),
    pages: async (request) => {
      const { names, size } = pagingOf(request, service);
      const fetchPage = (number: number) => {
        const sized = size === undefined ? { [names.size]: String(PAGE_SIZE) } : {};
        const paging = String(new URLSearchParams({ ...sized, [names.number]: String(number) }));
        // A first page that is no list is an answer all the same.
        const isCredible =
          number === 1 ? undefined : (answer: Answer) => listOf(answer, number) !== undefined;
        return sendRaw({ ...request, query: joinQueries(request.query, paging) }, isCredible);
      };
      const first = await fetchPage(1);
      if (onlyListIn(first.body) === undefined) {
        if (first.body !== undefined) await warn('The answer is no list: there are no further pages of it.');
        return { first, more: undefined };
      }
      const pages = walk(
        async ({ number }) => readPage(number === 1 ? first : await fetchPage(number), number),
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
  if (method === 'GET' || method === 'HEAD') return 'read';
  if (method === 'DELETE') return 'delete';
  if (method === 'POST') return idempotencyKey === undefined ? 'once' : 'keyed';
  return 'patch';
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
  if (list === undefined)
    throw new CliError('malformed_answer', `the service's answer to page ${number} is not a list`);
  return list;
}

async function* afterTheFirst(pages: ReturnType<typeof walk>): AsyncGenerator<readonly unknown[]> {
  let isFirst = true;
  for await (const { items } of pages) {
    if (!isFirst) yield items.map(({ entry }) => entry);
    isFirst = false;
  }
}
