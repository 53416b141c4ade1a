import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createLedger, type Ledger } from './ledger.ts';

/** When the program dies, seen from the service. */
export const moments = ['before the commit', 'after the commit', 'after the answer'] as const;
export type Moment = (typeof moments)[number];

/** Kills at a write, counted from 1 since the strike was set. */
export interface Strike {
  readonly moment: Moment;
  readonly write: number;
  readonly kill: () => void;
}

/** An answer that is given instead of the service's; `undefined` passes the request on. */
export type Intercept = (request: IncomingMessage) => Refusal | undefined;

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Stands before the service, passes everything on as it is, and counts. */
export interface Gateway extends AsyncDisposable {
  readonly origin: string;
  readonly ledger: Ledger;
  strike(strike: Strike | undefined): void;
  /** Writes since the last strike was set. */
  readonly writes: number;
  intercept(intercept: Intercept): void;
  /** Shows no list with these properties, and none of them alone: the service is slow to show what it has. */
  conceal(ids: ReadonlySet<string>): void;
  /** Resolves when nobody is connected and everything that came has been carried out. */
  quiet(): Promise<void>;
}

/** @param target the port of the service; asked for with each request, because a restart may change it. */
export async function openGateway(target: () => number): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true });
  const ledger = createLedger();
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let underWay = 0;
  let strike: Strike | undefined;
  let writes = 0;
  let intercept: Intercept = () => undefined;
  let concealed: ReadonlySet<string> = new Set();

  const settle = () => {
    if (underWay === 0 && sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  const strikesAt = (moment: Moment, write: number) => strike?.moment === moment && strike.write === write;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    ledger.arrived(incoming);
    const write = incoming.method === 'GET' ? 0 : ++writes;
    const body = await bodyOf(incoming);
    if (strikesAt('before the commit', write)) {
      strike?.kill();
      response.destroy();
      return;
    }
    const refusal = intercept(incoming);
    if (refusal !== undefined) {
      ledger.refused(incoming, refusal);
      response.writeHead(refusal.status, { ...refusal.headers, 'content-length': '2' }).end('{}');
      return;
    }
    const answer = await carry(agent, target(), incoming, body);
    ledger.answered(incoming, body, answer);
    if (strikesAt('after the commit', write)) strike?.kill();
    if (strikesAt('after the answer', write)) response.once('close', () => strike?.kill());
    deliver(response, shown(answer, concealed));
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    underWay += 1;
    handle(incoming, response)
      .catch(() => response.destroy())
      .finally(() => {
        underWay -= 1;
        settle();
      });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      settle();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    ledger,
    strike(next) {
      strike = next;
      writes = 0;
    },
    conceal(ids) {
      concealed = ids;
    },
    get writes() {
      return writes;
    },
    intercept(next) {
      intercept = next;
    },
    quiet: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        settle();
      }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      agent.destroy();
    },
  };
}

/** What came back, as far as it came. */
export interface Carried {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** `undefined` when the connection broke without an answer. */
function carry(
  agent: Agent,
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Carried | undefined> {
  return new Promise((resolve) => {
    const outgoing = request({ agent, host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      const chunks: Buffer[] = [];
      const end = (isWhole: boolean) => {
        const { statusCode: status = 0, headers: received } = answer;
        resolve({ status, headers: received, bytes: Buffer.concat(chunks), isWhole });
      };
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => end(true)).on('error', () => end(false));
    });
    outgoing.on('error', () => resolve(undefined));
    outgoing.end(body);
  });
}

/** The answer without what is concealed. */
function shown(answer: Carried | undefined, concealed: ReadonlySet<string>): Carried | undefined {
  if (concealed.size === 0 || answer?.status !== 200) return answer;
  const body: Shown = JSON.parse(String(answer.bytes));
  const isConcealed = ({ id }: Shown) => id !== undefined && concealed.has(id);
  if (isConcealed(body)) return rewritten({ ...answer, status: 404 }, {});
  if (body.items === undefined) return answer;
  const items = body.items.filter((item) => !isConcealed(item));
  return rewritten(answer, { ...body, count: (body.count ?? 0) - concealed.size, items });
}

interface Shown {
  readonly id?: string;
  readonly count?: number;
  readonly items?: readonly Shown[];
}

function rewritten(answer: Carried, body: object): Carried {
  const bytes = Buffer.from(JSON.stringify(body));
  return { ...answer, bytes, headers: { ...answer.headers, 'content-length': String(bytes.length) } };
}

function deliver(response: ServerResponse, answer: Carried | undefined): void {
  if (answer === undefined || response.destroyed) {
    response.destroy();
    return;
  }
  const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers;
  response.writeHead(answer.status, headers);
  if (answer.isWhole) response.end(answer.bytes);
  else response.write(answer.bytes, () => response.destroy());
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // No encoding was set on the request, so that its chunks are bytes.
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
