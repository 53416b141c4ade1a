import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox/server.ts';
import type { Authority } from './certificates.ts';
import { type Place, type Started, start } from './started.ts';

/** The person who can log in. */
export const ana = {
  subject: 'subject-of-ana',
  email: 'ana@example.com',
  name: 'Ana Alves',
  password: 'password-of-ana',
};

/** Another one. */
const ben = {
  subject: 'subject-of-ben',
  email: 'ben@example.com',
  name: 'Ben Bauer',
  password: 'password-of-ben',
};

/** Scopes that may be asked for. */
export const scopes = [
  'openid',
  'offline_access',
  'profile',
  'email',
  'setup.manage',
  'properties.create',
  'properties.manage',
  'identity:account-users.read',
  'identity:account-users.manage',
];

/** Clients of people come back to any port of 127.0.0.1, to one of these paths. */
const redirectPaths = ['/callback', '/'];

/** Who asks for tokens. `native` keeps no secret; `machine` has client credentials alone. */
export const clients = {
  native: { id: 'innctl-native', auth: 'none' },
  basic: { id: 'innctl-basic', auth: 'basic', secret: 'secret-of-the-basic-client' },
  post: { id: 'innctl-post', auth: 'post', secret: 'secret-of-the-post-client' },
  machine: { id: 'innctl-machine', auth: 'basic', secret: 'secret-of-the-machine' },
} as const;

/** One of these. */
export type Client = (typeof clients)[keyof typeof clients];

/** How the server issues. */
export interface IdentityOptions {
  /** Life of access tokens. Default 3600. */
  readonly tokenSeconds?: number;
  readonly deviceCodeSeconds?: number;
  readonly refreshTokenSeconds?: number;
  /** Whether a refresh token serves once; used again, it ends the whole login. Default true. */
  readonly rotate?: boolean;
  /** The service takes each token of a person so often, and then it has ended. As often as one likes unless told. */
  readonly uses?: number;
  /** Waited by the service before each operation. */
  readonly latencyMs?: number;
  /** Speaks TLS as `localhost`. */
  readonly authority?: Authority | undefined;
}

/** One request that the server saw. */
export interface Logged {
  readonly at: number;
  /** `service` for all that goes to the service. */
  readonly route: 'token' | 'revocation' | 'introspection' | 'device' | 'service';
  readonly status: number;
  /** What OAuth calls the refusal. */
  readonly error?: string;
  readonly grant?: string;
  readonly client?: string;
  /** How the client showed who it is: `Basic`, `post`, `none`. */
  readonly auth?: string;
  /** SHA-256 in hex of the refresh token that was sent, or of the token to be revoked. */
  readonly token?: string;
  /** What was meant for a proxy, and must not come so far. */
  readonly proxyAuthorization?: string;
  readonly method?: string;
  readonly path?: string;
}

/** oidc-provider and, at the same address, a sandbox that takes its tokens alone, as long as they live. */
export interface Identity extends Started {
  /** `http://127.0.0.1:port`, with an authority `https://localhost:port`: issuer, identity_url and base_url. */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly revocationUrl: string;
  readonly authority: Authority | undefined;
  log(): readonly Logged[];
  /** Token requests with a refresh token. */
  refreshes(): readonly Logged[];
  /** Digests of refresh tokens that were sent more than once. */
  reused(): readonly string[];
}

/** Starts both. Refresh tokens are issued for the scope `offline_access`, in a browser with `prompt=consent` alone. */
export async function startIdentity(options: IdentityOptions = {}): Promise<Identity> {
  const { authority } = options;
  const data = mkdtempSync(join(tmpdir(), 'innctl-hotels-'));
  const sandbox = await startSandbox({ folder: data, now: Date.now, latencyMs: options.latencyMs });
  const pair = authority?.issue('DNS:localhost,IP:127.0.0.1');
  const started = await start((place) => ({
    files: {
      'options.json': JSON.stringify(serverOptions(place, sandbox.url, options)),
      'requests.jsonl': '',
      ...(pair && { 'server.key': pair.key, 'server.pem': pair.cert }),
    },
    command: [process.execPath, join(import.meta.dirname, 'identity-server.mjs'), 'options.json'],
  }));
  const issuer = issuerOf(started, options);
  const log = () => readLog(join(started.folder, 'requests.jsonl'));
  const refreshes = () => log().filter(({ grant }) => grant === 'refresh_token');
  return {
    ...started,
    issuer,
    tokenUrl: `${issuer}/connect/token`,
    revocationUrl: `${issuer}/connect/revocation`,
    authority,
    log,
    refreshes,
    reused: () => {
      const sent = refreshes().map(({ token = '' }) => token);
      return sent.filter((token, at) => sent.indexOf(token) !== at);
    },
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await sandbox.close();
      rmSync(data, { recursive: true });
    },
  };
}

function issuerOf({ port }: Place, { authority }: IdentityOptions): string {
  return authority === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
}

function serverOptions(place: Place, service: string, options: IdentityOptions) {
  const { tokenSeconds = 3600, deviceCodeSeconds = 600, refreshTokenSeconds = 86_400 } = options;
  return {
    port: place.port,
    issuer: issuerOf(place, options),
    tls: options.authority && { key: 'server.key', cert: 'server.pem' },
    service,
    accounts: [ana, ben],
    clients: Object.values(clients).map(registration),
    scopes,
    lifetimes: { token: tokenSeconds, deviceCode: deviceCodeSeconds, refreshToken: refreshTokenSeconds },
    rotate: options.rotate ?? true,
    uses: options.uses ?? Number.MAX_SAFE_INTEGER,
    log: 'requests.jsonl',
  };
}

/** The client as oidc-provider knows it. */
function registration({ id, auth, ...rest }: Client) {
  const isMachine = id === clients.machine.id;
  return {
    client_id: id,
    ...('secret' in rest && { client_secret: rest.secret }),
    token_endpoint_auth_method: auth === 'none' ? 'none' : `client_secret_${auth}`,
    // Those of this type come back to any port.
    application_type: 'native',
    redirect_uris: isMachine ? [] : redirectPaths.map((path) => `http://127.0.0.1${path}`),
    response_types: isMachine ? [] : ['code'],
    grant_types: isMachine
      ? ['client_credentials']
      : ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  };
}

/** A line that is being written just now is not one yet. */
function readLog(path: string): readonly Logged[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
