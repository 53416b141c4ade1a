import type { Client, Granted } from './granted.ts';
import type { OAuthHttp } from './oauth-http.ts';
import type { Provider } from './provider.ts';

/** Where the person types what; all of it can be shown as it is. */
export interface DevicePage {
  readonly url: string;
  readonly code: string;
  /** The same page with the code filled in, where the server has one. */
  readonly completeUrl?: string | undefined;
  /** A browser was started with it. */
  readonly isOpened: boolean;
  /** How long the code can be used. */
  readonly lifetimeMs: number;
}

/** A login on another device. */
export interface DeviceLogin {
  readonly provider: Provider;
  readonly client: Client;
  /** Scopes between blanks. */
  readonly scope?: string | undefined;
  readonly http: OAuthHttp;
  /** `World.openBrowser`; without it nothing is opened. */
  readonly openBrowser?: ((url: string) => Promise<boolean>) | undefined;
  readonly tell: (page: DevicePage) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Logs a person in on any device that has a browser (RFC 8628): shows a code, and asks the server until somebody typed it.
 *
 * @throws {CliError} exit 4 when it was refused (`login_refused`) or took too long (`login_timeout`); token-errors.ts has the rest.
 */
export async function deviceLogin(_login: DeviceLogin): Promise<Granted> {
  throw new Error('not there yet');
}
