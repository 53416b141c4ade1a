import type { Ending, Transport } from '../../src/cli/ports.ts';

/** A transport on fetch of Node, which nock intercepts. */
export async function fetchTransport(): Promise<Transport> {
  return {
    async request({ method, url, headers, body, signal, onSent }) {
      onSent?.();
      const response = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        signal: signalOf(signal),
        redirect: 'manual',
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: response.body ?? emptyBody(),
      };
    },
    close: async () => {},
  };
}

function signalOf(ending: Ending): AbortSignal {
  const controller = new AbortController();
  const follow = () => controller.abort(ending.reason);
  if (ending.aborted) follow();
  else ending.addEventListener('abort', follow);
  return controller.signal;
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
