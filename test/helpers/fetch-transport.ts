import type { Transport } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';

/** A transport on fetch of Node, which nock intercepts. */
export async function fetchTransport(): Promise<Transport> {
  return {
    async request({ method, url, headers, body, signal, onSent, maxBytes = Number.POSITIVE_INFINITY }) {
      onSent?.();
      const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: 'manual' });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length > maxBytes) {
        const sentence = `the answer of ${new URL(url).host} is longer than ${maxBytes} bytes.`;
        throw new WireFailure('too-large', sentence, { sent: true });
      }
      return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
    },
    close: async () => {},
  };
}
