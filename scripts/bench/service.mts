import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Message, State } from '../bench-service.mts';

/** The service of a benchmark, in a separate process. */
export interface Service {
  readonly origin: string;
  /** Replaces the hotels by exactly this many, and sets the delay of each response; default 0. */
  hold(count: number, latencyMs?: number): Promise<void>;
  /** How many hotels it has, and how long their creation took. */
  state(): Promise<State>;
  close(): void;
}

/** Starts the service on a free port. */
export async function openService(): Promise<Service> {
  const child = fork(join(import.meta.dirname, '../bench-service.mts'));
  const [port] = await once(child, 'message');
  // Over IPC instead of HTTP, because a keep-alive connection would time out while a benchmark blocks.
  const ask = async (message: Message): Promise<State> => {
    child.send(message);
    const [state] = await once(child, 'message');
    return state;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    async hold(count, latencyMs = 0) {
      await ask({ hold: count, latencyMs });
    },
    state: () => ask({}),
    close() {
      child.kill();
    },
  };
}
