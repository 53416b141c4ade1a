import type { Provider } from '../../src/auth/oauth-http.ts';
import { type WebLogin, type WebPage, webLogin } from '../../src/auth/web-login.ts';
import { browse, type Got, issue, type LoginWorld, loginServer, loginWorld } from './login-world.ts';

export const ACCESS = 'access-token-of-ana-1234567890';
export const CODE = 'code-of-ana-1234567890';

/** A login in progress: the URL for the user, and the result. */
export interface Going {
  readonly url: URL;
  readonly state: string;
  readonly redirectUri: string;
  /** The token response, or the error. */
  readonly end: Promise<unknown>;
  readonly world: LoginWorld;
  readonly pages: readonly WebPage[];
  /** Calls back with these parameters, and the state of the login unless they have one. */
  back(parameters: Readonly<Record<string, string>>): Promise<Got>;
}

export interface Given extends Partial<WebLogin> {
  readonly provider: Provider;
  readonly sleep?: (ms: number, world: LoginWorld) => void;
}

/** Starts a login, up to the point where the user would see the page. */
export async function begin({ sleep, ...given }: Given): Promise<Going> {
  const world = loginWorld(sleep);
  const pages: WebPage[] = [];
  let open = (_: string) => {};
  const opened = new Promise<string>((resolve) => {
    open = resolve;
  });
  const end = webLogin({
    client: { id: 'innctl' },
    http: world.http,
    openBrowser: async () => false,
    tell: async (page) => {
      pages.push(page);
      open(page.url);
    },
    signal: new AbortController().signal,
    ...given,
  }).catch((cause: unknown) => cause);
  const href = await Promise.race([opened, end]);
  const url = new URL(String(href));
  const redirectUri = url.searchParams.get('redirect_uri') ?? '';
  const state = url.searchParams.get('state') ?? '';
  const back: Going['back'] = (parameters) =>
    browse(`${redirectUri}?${new URLSearchParams({ state, ...parameters })}`);
  return { url, state, redirectUri, end, world, pages, back };
}

/** A server that issues tokens to every client. */
export const tokens = (answer = issue(ACCESS)) => loginServer({ '/token': () => answer });
