import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';

/** A server on this machine that is closed at the end of its scope. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** All connections so far. */
  readonly connections: readonly Socket[];
}

/** An HTTP server with this handler. */
export function httpServer(handler: RequestListener): Promise<TestServer> {
  return listen(createServer(handler));
}

/** A TCP server that writes whatever the handler writes, valid or not. */
export function rawServer(handler: (socket: Socket) => void): Promise<TestServer> {
  return listen(createNetServer(handler));
}

/** Responds to every request, once its head has arrived, with these bytes and then calls `then` with the connection. */
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

/** A closed port of this machine. */
export async function closedPort(): Promise<number> {
  const server = await rawServer(() => {});
  await server[Symbol.asyncDispose]();
  return server.port;
}

/** Resolves when the first connection is closed, with or without an error. */
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
    // Many tests disconnect in the middle of a response.
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on TCP has a port.
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
