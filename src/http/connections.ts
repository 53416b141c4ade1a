import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';

/** The connections to one origin: as many as there are requests at a time. */
export interface Connections {
  /** One that nobody uses: the one that was used last, or a new one. It connects when it is given a request. */
  take(): Dispatcher;
  /** It may be used again. One that broke connects anew. */
  give(connection: Dispatcher): void;
  /** Ends all of them, and the requests that they carry, with an error. */
  destroy(end: Error): Promise<unknown>;
}

/**
 * undici's own pool does the same. It hears that a connection is free later than who read the answer, and arms a timer for
 * connections that are used again at once.
 */
export function createConnections(origin: string, options: Client.Options): Connections {
  const all: Dispatcher[] = [];
  const free: Dispatcher[] = [];
  const open = () => {
    const connection = new Client(origin, options);
    all.push(connection);
    return connection;
  };
  return {
    take: () => free.pop() ?? open(),
    give: (connection) => void free.push(connection),
    destroy: (end) => Promise.all(all.map((connection) => connection.destroy(end))),
  };
}
