import type { OAuthHttp } from './oauth-http.ts';

/** A way to ask that nobody who leaves can end any more once something was sent. */
interface UntilSent {
  readonly http: OAuthHttp;
  readonly signal: AbortSignal;
  /** Whether the last request may have left this machine. */
  isSent(): boolean;
}

/** Follows the signal as long as nothing was sent. */
export function untilSent(http: OAuthHttp, signal: AbortSignal): UntilSent {
  const stop = new AbortController();
  let sent = false;
  signal.addEventListener('abort', () => {
    if (!sent) stop.abort(signal.reason);
  });
  return {
    http: {
      ...http,
      request: async (request) => {
        signal.throwIfAborted();
        sent = false;
        const onSent = () => {
          sent = true;
          request.onSent?.();
        };
        return http.request({ ...request, onSent });
      },
    },
    signal: stop.signal,
    isSent: () => sent,
  };
}
