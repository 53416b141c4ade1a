import type { Connect, WireRequest, WireResponse } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels, type Result, type Situation } from '../helpers/cli.ts';
import { type DescribedOperation, openDescriptions, operationOf } from './prism-documents.ts';
import { installPrism, type Launched, launchPrism } from './prism-launched.ts';

/** One request, and the violations in it and in its response. */
export interface Judged {
  /** `GET /inventory/v1/properties?pageSize=100` */
  readonly request: string;
  /** `undefined` if neither document has it. */
  readonly operation: DescribedOperation | undefined;
  readonly violations: readonly string[];
}

/** Runs the program against Prism. */
export interface Prism extends AsyncDisposable {
  /** All requests so far, in order. */
  readonly judged: readonly Judged[];
  innctl(line: string | readonly string[], situation?: Situation): Promise<Result>;
}

/** Starts Prism as a mock for each area: its responses are the examples of the documents. */
export async function startMock(): Promise<Prism> {
  const descriptions = openDescriptions();
  const program = await installPrism();
  const launches = descriptions.map(({ text }) => launchPrism(program, text));
  const launched = await allOrNone(launches);
  const [identity, inventory] = launched.map(({ origin }) => origin);
  if (identity === undefined || inventory === undefined) throw new Error('there are two areas');
  const judged: Judged[] = [];
  const operations = descriptions.flatMap((each) => each.operations);
  const env = {
    INNCTL_DIALECT: 'apaleo',
    INNCTL_IDENTITY_URL: identity,
    INNCTL_BASE_URL: inventory,
    INNCTL_TOKEN: hotels.INNCTL_TOKEN,
  };
  return {
    judged,
    innctl: (line, situation = {}) =>
      cli(line, { connect: judging(operations, judged), ...situation, env: { ...env, ...situation.env } }),
    async [Symbol.asyncDispose]() {
      for (const each of launched) await each[Symbol.asyncDispose]();
    },
  };
}

/** If one of them does not start, the others are stopped. */
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

/** The usual transport, which also records the violations that Prism reports. */
function judging(operations: readonly DescribedOperation[], judged: Judged[]): Connect {
  return async (options) => {
    const transport = await connectUndici(options);
    return {
      close: transport.close,
      request: async (request) => {
        const url = new URL(request.url);
        const operation = operationOf(operations, request.method, url.pathname);
        const { violations, response } = withViolations(await transport.request(request));
        const { status } = response;
        const further = [
          ...unknownParameters(url, operation),
          ...(status === 204 ? forbiddenSteps(request, operation) : []),
        ];
        judged.push({
          request: `${request.method} ${url.pathname}${url.search}`,
          operation,
          violations: [...violations, ...further],
        });
        return withInvitedEmail(withText(response), request);
      },
    };
  };
}

/** Replaces the example address in the mock's response to an invitation by the invited one, as the service does. */
function withInvitedEmail(
  response: WireResponse & { readonly text: string },
  { body = '{}' }: WireRequest,
): WireResponse {
  if (response.text !== '{"email":"string"}') return response;
  const { email } = JSON.parse(body);
  return { ...response, bytes: Buffer.from(JSON.stringify({ email })) };
}

/** The violations that Prism reports, in a header or as a problem document in place of the response. */
function withViolations(response: WireResponse): {
  readonly violations: readonly string[];
  readonly response: WireResponse;
} {
  const violations = violationsIn(response.headers['sl-violations']);
  // Neither the service nor the sandbox responds with this type.
  if (response.headers['content-type'] !== 'application/problem+json') return { violations, response };
  const read = withText(response);
  return { violations: violations.length > 0 ? violations : [read.text], response: read };
}

function withText(response: WireResponse): WireResponse & { readonly text: string } {
  return { ...response, text: Buffer.from(response.bytes).toString() };
}

function violationsIn(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  // Prism truncates a long list, which is then not JSON.
  if (!header.startsWith('[')) return [header];
  const found: readonly { readonly location: readonly string[]; readonly message: string }[] =
    JSON.parse(header);
  return found.map(({ location, message }) => `${location.join('.')}: ${message}`);
}

/** Prism ignores unknown query parameters, and the case of known ones. */
function unknownParameters(url: URL, operation: DescribedOperation | undefined): readonly string[] {
  const names = [...new Set(url.searchParams.keys())];
  const unknown = names.filter((name) => operation?.query.includes(name) === false);
  return unknown.map((name) => `request.query: there is no parameter ${name}`);
}

/** Prism does not check patches: these are the steps that the document does not allow. */
function forbiddenSteps({ body }: WireRequest, operation: DescribedOperation | undefined): readonly string[] {
  if (body === undefined || operation === undefined || operation.steps.size === 0) return [];
  const sent: readonly { readonly op: string; readonly path: string }[] = JSON.parse(body);
  return sent.flatMap(({ op, path }) => {
    const [, field = '', ...inner] = path.split('/');
    const ops = operation.steps.get(field.toLowerCase());
    // The documents do not describe changes inside a field.
    const isAllowed = inner.length > 0 ? ops !== undefined : ops?.includes(op);
    return isAllowed === true ? [] : [`request.body: nothing lets ${op} ${path}`];
  });
}
