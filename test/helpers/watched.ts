import type { Connect, WireRequest } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';

/** The real transport. @param onRequest gets each request before it is sent. */
export function watched(onRequest: (request: WireRequest) => void): Connect {
  return async (options) => {
    const transport = await connectUndici(options);
    return {
      close: transport.close,
      request: (request) => {
        onRequest(request);
        return transport.request(request);
      },
    };
  };
}
