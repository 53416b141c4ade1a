import type { Connect, WireRequest, WireResponse } from '../../src/cli/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels, type Result, type Situation } from '../helpers/cli.ts';
import {
  type DescribedOperation,
  type Description,
  openDescriptions,
  operationOf,
} from './prism-documents.ts';
import { installPrism } from './prism-installed.ts';
import { type Launched, launchPrism } from './prism-launched.ts';

/** One request, and what is wrong with it or with its answer. */
export interface Judged {
  /** `GET /inventory/v1/properties?pageSize=100` */
  readonly request: string;
  /** What it is about; `undefined` where neither document has that. */
  readonly operation: DescribedOperation | undefined;
  readonly status: number;
  readonly violations: readonly string[];
}

/** Runs the program as a user of the public service does, with Prism in its place or in front of it. */
export interface Prism extends AsyncDisposable {
  readonly descriptions: readonly Description[];
  /** Everything that was sent so far, in this order. */
  readonly judged: readonly Judged[];
  innctl(line: string | readonly string[], situation?: PrismSituation): Promise<Result>;
}

/** What surrounds one run, and what the mock answers in it. */
export interface PrismSituation extends Situation {
  /** What the mock answers to one operation; all others it answers with their success. */
  readonly answer?: { readonly to: DescribedOperation; readonly status: number };
}

/** Starts Prism as the service: its answers are the examples of the documents. */
export function startMock(): Promise<Prism> {
  return startPrism((document) => ['mock', document], hotels.INNCTL_TOKEN);
}

/** Starts Prism in front of a service: in place of what is wrong it answers with a problem of its own. */
export function startProxy(service: { readonly url: string; readonly token: string }): Promise<Prism> {
  return startPrism((document) => ['proxy', document, service.url, '--errors'], service.token);
}

/** One Prism for each area. */
async function startPrism(argsFor: (document: string) => readonly string[], token: string): Promise<Prism> {
  const descriptions = openDescriptions();
  const program = await installPrism();
  const launches = descriptions.map(({ text }) => launchPrism(program, text, argsFor));
  const launched = await allOrNone(launches);
  const [identity, inventory] = launched.map(({ origin }) => origin);
  if (identity === undefined || inventory === undefined) throw new Error('there are two areas');
  const judged: Judged[] = [];
  const operations = descriptions.flatMap((each) => each.operations);
  const env = {
    INNCTL_DIALECT: 'apaleo',
    INNCTL_IDENTITY_URL: identity,
    INNCTL_BASE_URL: inventory,
    INNCTL_TOKEN: token,
  };
  return {
    descriptions,
    judged,
    innctl: (line, { answer, ...situation } = {}) =>
      cli(line, {
        connect: judging(operations, judged, answer),
        ...situation,
        env: { ...env, ...situation.env },
      }),
    async [Symbol.asyncDispose]() {
      for (const each of launched) await each[Symbol.asyncDispose]();
    },
  };
}

/** Where one of several does not start, the others end. */
async function allOrNone(launches: readonly Promise<Launched>[]): Promise<readonly Launched[]> {
  try {
    return await Promise.all(launches);
  } catch (cause) {
    for (const launch of await Promise.allSettled(launches)) {
      if (launch.status === 'fulfilled') await launch.value[Symbol.asyncDispose]();
    }
    throw cause;
  }
}

/** The usual way to a service, which keeps what Prism says of each request and its answer. */
function judging(
  operations: readonly DescribedOperation[],
  judged: Judged[],
  answer: PrismSituation['answer'],
): Connect {
  return async (options) => {
    const transport = await connectUndici(options);
    return {
      close: transport.close,
      request: async (request) => {
        const url = new URL(request.url);
        const operation = operationOf(operations, request.method, url.pathname);
        const isMeant = operation !== undefined && isSame(operation, answer?.to);
        const preferred = isMeant ? { prefer: `code=${answer?.status}` } : {};
        const headers = { ...request.headers, ...preferred };
        const { violations, response } = await heard(await transport.request({ ...request, headers }));
        const { status } = response;
        const overlooked = [
          ...strangers(url, operation),
          ...(status === 204 ? forbidden(request, operation) : []),
        ];
        judged.push({
          request: `${request.method} ${url.pathname}${url.search}`,
          operation,
          status,
          violations: [...violations, ...overlooked],
        });
        return nobodyElse(await whole(response), request);
      },
    };
  };
}

/** The mock answers to an invitation with the documents' example, where the service names who is invited. */
function nobodyElse(
  response: WireResponse & { readonly text: string },
  { body = '{}' }: WireRequest,
): WireResponse {
  if (response.text !== '{"email":"string"}') return response;
  const { email } = JSON.parse(body);
  return { ...response, body: again([Buffer.from(JSON.stringify({ email }))]) };
}

function isSame(one: DescribedOperation, other: DescribedOperation | undefined): boolean {
  return one.method === other?.method && one.path === other.path;
}

/** What Prism found wrong: beside an answer in a header, or as a problem in place of it. */
async function heard(
  response: WireResponse,
): Promise<{ readonly violations: readonly string[]; readonly response: WireResponse }> {
  const violations = violationsIn(response.headers['sl-violations']);
  // Neither the service nor its stand-in answers with one.
  if (response.headers['content-type'] !== 'application/problem+json') return { violations, response };
  const read = await whole(response);
  return { violations: violations.length > 0 ? violations : [read.text], response: read };
}

async function whole(response: WireResponse): Promise<WireResponse & { readonly text: string }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { ...response, text: Buffer.concat(chunks).toString(), body: again(chunks) };
}

async function* again(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function violationsIn(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  // A long list is cut, and is no JSON then.
  if (!header.startsWith('[')) return [header];
  const found: readonly { readonly location: readonly string[]; readonly message: string }[] =
    JSON.parse(header);
  return found.map(({ location, message }) => `${location.join('.')}: ${message}`);
}

/** Prism overlooks parameters of a query that a document does not name, and the case of those that it does. */
function strangers(url: URL, operation: DescribedOperation | undefined): readonly string[] {
  const names = [...new Set(url.searchParams.keys())];
  const unknown = names.filter((name) => operation?.query.includes(name) === false);
  return unknown.map((name) => `request.query: there is no parameter ${name}`);
}

/** Prism does not know what may be patched: steps that were taken although the document does not let them. */
function forbidden({ body }: WireRequest, operation: DescribedOperation | undefined): readonly string[] {
  if (body === undefined || operation === undefined || operation.steps.size === 0) return [];
  const sent: readonly { readonly op: string; readonly path: string }[] = JSON.parse(body);
  return sent.flatMap(({ op, path }) => {
    const [, field = '', ...inner] = path.split('/');
    const ops = operation.steps.get(field.toLowerCase());
    // Nothing is said of what stands inside a field.
    const isAllowed = inner.length > 0 ? ops !== undefined : ops?.includes(op);
    return isAllowed === true ? [] : [`request.body: nothing lets ${op} ${path}`];
  });
}
