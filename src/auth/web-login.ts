import type { Client, Granted } from './granted.ts';
import type { OAuthHttp } from './oauth-http.ts';
import type { Provider } from './provider.ts';

/** The page at which the person logs in. */
export interface WebPage {
  readonly url: string;
  /** A browser was started with it. */
  readonly isOpened: boolean;
  /** Where this machine waits for the browser to come back: 127.0.0.1 and this port. */
  readonly port: number;
}

/** A login in the browser. */
export interface WebLogin {
  readonly provider: Provider;
  readonly client: Client;
  /** Scopes between blanks. */
  readonly scope?: string | undefined;
  /** Any free port otherwise. */
  readonly redirectPort?: number | undefined;
  readonly http: OAuthHttp;
  /** `World.openBrowser`. */
  readonly openBrowser: (url: string) => Promise<boolean>;
  /** Says where to go; the URL is to be shown whether or not a browser was opened. */
  readonly tell: (page: WebPage) => Promise<void>;
  /** Does what else belongs to a success, before the browser is told of one: what it throws is told there too. */
  readonly keep?: ((granted: Granted) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
  /** How long the person has. Default 5 minutes. */
  readonly limitMs?: number | undefined;
}

/**
 * Logs a person in with the browser of this machine: authorization code with PKCE, brought back to 127.0.0.1.
 *
 * @throws {CliError} exit 4 when it was refused (`login_refused`) or took too long (`login_timeout`); exit 2 when the port is taken;
 * token-errors.ts has the rest.
 */
export async function webLogin(_login: WebLogin): Promise<Granted> {
  throw new Error('not there yet');
}
