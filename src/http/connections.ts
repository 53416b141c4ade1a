import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';

/** The connections to one origin: as many as there are requests at a time. */
export interface Connections {
  /**
   * One that nobody uses: the one that was used last, or a new one. It connects when it is given a request.
   *
   * @param isNew it must not have been used.
   */
  take(isNew: boolean): Connection;
  /** It may be used again, unless it broke: then it connects anew. */
  give(connection: Connection): void;
  /** Ends all of them, and the requests that they carry, with an error. */
  destroy(end: Error): Promise<unknown>;
}

/** A connection while it is taken. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** It has carried an answer, and is still open as far as is known. */
  isUsed: boolean;
}

/**
 * undici's own pool does the same. It hears that a connection is free later than who read the answer, and arms a timer for
 * connections that are used again at once.
 */
export function createConnections(origin: string, options: Client.Options): Connections {
  const all: Dispatcher[] = [];
  const used: Connection[] = [];
  const broken: Connection[] = [];
  const open = (): Connection => {
    const dispatcher = new Client(origin, options);
    all.push(dispatcher);
    return { dispatcher, isUsed: false };
  };
  return {
    take: (isNew) => (isNew ? undefined : used.pop()) ?? broken.pop() ?? open(),
    give: (connection) => void (connection.isUsed ? used : broken).push(connection),
    destroy: (end) => Promise.all(all.map((dispatcher) => dispatcher.destroy(end))),
  };
}
