import { type DeviceLogin, type DevicePage, deviceLogin } from '../../src/auth/device-login.ts';
import { type LoginServer, type LoginWorld, loginServer, loginWorld } from './login-world.ts';
import type { TokenAnswer } from './token-server.ts';

export const ACCESS = 'access-token-of-ana-1234567890';
export const DEVICE = 'device-code-of-ana-1234567890';
export const SECRET = 'secret-of-the-chain-1234567890';

/** A successful device authorization response. */
export const page = {
  device_code: DEVICE,
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://identity.example.com/device',
  verification_uri_complete: 'https://identity.example.com/device?user_code=WDJB-MJHT',
  expires_in: 900,
  interval: 5,
};

/** An OAuth error response. */
export const said = (error: string, more: object = {}): TokenAnswer => ({
  status: 400,
  body: { error, ...more },
});
/** The user has not entered the code yet. */
export const pending = said('authorization_pending');

/** A server with this device code, and these responses to the polls in order; the last one repeats. */
export function devices(answers: readonly TokenAnswer[], code: unknown = page): Promise<LoginServer> {
  return loginServer({
    '/device': () => ({ body: code }),
    '/token': (n) => answers[n - 1] ?? answers.at(-1) ?? pending,
  });
}

/** Time passes only by sleeping. */
const pass = (ms: number, world: LoginWorld) => {
  world.now += ms;
};

/** Logs in, and returns the printed page, the waits, and the times of the polls. */
export async function logIn(server: LoginServer, more: Partial<DeviceLogin> = {}, sleep = pass) {
  const world = loginWorld(sleep);
  const pages: DevicePage[] = [];
  const end = await deviceLogin({
    provider: server.provider,
    client: { id: 'innctl' },
    http: world.http,
    tell: async (page) => {
      pages.push(page);
    },
    signal: new AbortController().signal,
    ...more,
  }).catch((cause: unknown) => cause);
  const seconds = world.slept.map((ms) => ms / 1_000);
  const times = server.requests.filter(({ path }) => path === '/token').length;
  return { end, pages, seconds, times, world };
}
