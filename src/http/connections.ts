import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';

/** The connections to one origin: as many as there are requests at a time. */
export interface Connections {
  /**
   * A free one: the one that was used last, or a new one. It connects when it is given a request.
   *
   * @param isNew it must not have been used: it stands in for one that was, which is closed.
   */
  take(isNew: boolean): Connection;
  /** The same for a write: a new one for a while after `lost`, because a write that is lost is in doubt. */
  takeForWrite(): Connection;
  /** One that was used ended without an answer. */
  lost(): void;
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

/** So many writes get new connections after one that was used was lost. */
const WARY_WRITES = 20;

/**
 * undici's own pool does the same. It hears that a connection is free later than who read the answer, and arms a timer for
 * connections that are used again at once.
 */
export function createConnections(origin: string, options: Client.Options): Connections {
  const all = new Set<Dispatcher>();
  const used: Connection[] = [];
  const broken: Connection[] = [];
  const open = (): Connection => {
    const dispatcher = new Client(origin, options);
    all.add(dispatcher);
    return { dispatcher, isUsed: false };
  };
  const replace = () => {
    const replaced = used.pop();
    if (replaced !== undefined && all.delete(replaced.dispatcher)) void replaced.dispatcher.destroy();
    return broken.pop() ?? open();
  };
  const take = (isNew: boolean) => (isNew ? replace() : (used.pop() ?? broken.pop() ?? open()));
  let wary = 0;
  return {
    take,
    takeForWrite() {
      wary -= 1;
      return take(wary >= 0);
    },
    lost() {
      wary = WARY_WRITES;
    },
    give: (connection) => void (connection.isUsed ? used : broken).push(connection),
    destroy: (end) => Promise.all([...all].map((dispatcher) => dispatcher.destroy(end))),
  };
}
