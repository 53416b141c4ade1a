import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Message } from '../bench-service.mts';

/** The service of a benchmark, in a process of its own. */
export interface Service {
  readonly origin: string;
  /** Makes it hold exactly these hotels. */
  hold(codes: readonly string[]): Promise<void>;
  /** How many hotels it holds. */
  count(): Promise<number>;
  close(): void;
}

/** Starts the service on a free port. */
export async function openService(): Promise<Service> {
  const child = fork(join(import.meta.dirname, '../bench-service.mts'));
  const [port] = await once(child, 'message');
  // Over this channel and not by HTTP: a connection that is kept alive would time out while a benchmark blocks.
  const ask = async (message: Message) => {
    child.send(message);
    const [count] = await once(child, 'message');
    return Number(count);
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    async hold(codes) {
      await ask({ hold: codes });
    },
    count: () => ask({}),
    close() {
      child.kill();
    },
  };
}
