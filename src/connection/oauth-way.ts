import type { OAuthHttp } from '../auth/oauth-http.ts';
import { oauthHttp } from '../auth/open-credentials.ts';
import type { Settings } from '../config/resolve.ts';
import type { Surroundings } from './target.ts';
import { openTransport, proxiesOf, refuseUnchecked, traceOf } from './way.ts';

/** The way to a server that issues tokens, open until it is closed. */
export interface OAuthWay {
  readonly http: OAuthHttp;
  close(): Promise<void>;
}

/** Opens the way over the run's own transport. Nothing is sent yet. */
export async function openOAuthWay(
  outside: Pick<Surroundings, 'context' | 'globals'>,
  settings: Settings,
): Promise<OAuthWay> {
  const { context } = outside;
  const transport = await openTransport(context, settings, proxiesOf(context));
  const http = oauthHttp({ settings, context, transport, trace: traceOf(outside) });
  return {
    http: {
      ...http,
      request: async (request) => {
        // Where it is follows from a flag of the login, or from what its server says.
        refuseUnchecked(context, settings, request.url.startsWith('https:'));
        return http.request(request);
      },
    },
    close: () => transport.close(),
  };
}
