import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';

/** A server on this machine that ends with its scope. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** Every connection that was made so far. */
  readonly connections: readonly Socket[];
}

/** Speaks HTTP as the handler says. */
export function httpServer(handler: RequestListener): Promise<TestServer> {
  return listen(createServer(handler));
}

/** Speaks whatever the handler writes, right or wrong. */
export function rawServer(handler: (socket: Socket) => void): Promise<TestServer> {
  return listen(createNetServer(handler));
}

/** Answers every request, once its head has come, with these bytes and then does with the connection what `then` says. */
export function scriptedServer(
  answer: string,
  then: (socket: Socket) => void = () => {},
): Promise<TestServer> {
  return rawServer((socket) => {
    socket.on('data', (chunk) => {
      if (!chunk.includes('\r\n\r\n')) return;
      if (answer === '') then(socket);
      else socket.write(answer, 'latin1', () => then(socket));
    });
  });
}

/** A port of this machine on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = await rawServer(() => {});
  await server[Symbol.asyncDispose]();
  return server.port;
}

/** Settles when the first connection that was made has ended, however it did. */
export function firstConnectionClosed({ connections: [socket] }: TestServer): Promise<void> {
  if (socket === undefined) throw new Error('nobody has connected');
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.resume().once('close', () => resolve());
  });
}

/** Starts a server of any kind. */
export async function listen(server: Server): Promise<TestServer> {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    // A client that leaves in the middle is what many tests are about.
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
