import type { Transport } from '../../src/transport.ts';

/** A transport on Node's own fetch: the one that nock sees. */
export async function fetchTransport(): Promise<Transport> {
  return {
    async request({ method, url, headers, body, signal, onSent }) {
      onSent?.();
      const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: 'manual' });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: response.body ?? emptyBody(),
      };
    },
    close: async () => {},
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
