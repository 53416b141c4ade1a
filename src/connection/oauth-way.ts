import type { OAuthHttp } from '../auth/oauth-http.ts';
import { oauthHttp } from '../auth/open-credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { connect, traceOf } from './connection.ts';
import { proxiesOf, type Surroundings } from './target.ts';

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
  const transport = await connect({ proxies: proxiesOf(context) }, outside, settings);
  return {
    http: oauthHttp({ settings, context, transport, trace: traceOf(outside) }),
    close: () => transport.close(),
  };
}
