import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Started, start } from './started.ts';

/** A person who can log in. */
export const ana = {
  subject: 'subject-of-ana',
  email: 'ana@example.com',
  name: 'Ana Alves',
  password: 'password-of-ana',
};

/** Scopes that may be requested. */
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

/** Clients of people may redirect to any port of 127.0.0.1, with one of these paths. */
const redirectPaths = ['/callback', '/'];

/** OAuth clients. `native` has no secret. */
export const clients = {
  native: { id: 'innctl-native', auth: 'none' },
  basic: { id: 'innctl-basic', auth: 'basic', secret: 'secret-of-the-basic-client' },
  post: { id: 'innctl-post', auth: 'post', secret: 'secret-of-the-post-client' },
} as const;

/** One of the clients. */
export type Client = (typeof clients)[keyof typeof clients];

/** Settings of the server. */
export interface IdentityOptions {
  /** Lifetime of access tokens. Default 3600. */
  readonly tokenSeconds?: number;
  /** How often the service accepts each token of a person before it ends. Default: unlimited. */
  readonly uses?: number;
}

/** One request that the server received. */
export interface Logged {
  readonly at: number;
  /** `service` for requests to the service. */
  readonly route: 'token' | 'revocation' | 'device' | 'service';
  readonly status: number;
  /** The OAuth error code. */
  readonly error?: string;
  readonly grant?: string;
  readonly client?: string;
  /** How the client authenticated: `Basic`, `post`, `none`. */
  readonly auth?: string;
  /** SHA-256 in hex of the sent refresh token, or of the token to revoke. */
  readonly token?: string;
  readonly method?: string;
  readonly path?: string;
}

/** oidc-provider and, at the same address, a sandbox that accepts only its active tokens. */
export interface Identity extends Started {
  /** `http://127.0.0.1:port`: issuer, identity_url and base_url. */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly revocationUrl: string;
  log(): readonly Logged[];
  /** Token requests with a refresh token. */
  refreshes(): readonly Logged[];
  /** Digests of refresh tokens that were sent more than once. */
  reused(): readonly string[];
}

/** Starts both. Refresh tokens are issued for the scope `offline_access`, in a browser only with `prompt=consent`. */
export async function startIdentity(options: IdentityOptions = {}): Promise<Identity> {
  const data = mkdtempSync(join(tmpdir(), 'innctl-hotels-'));
  const sandbox = await startSandbox({ folder: data, now: Date.now });
  const started = await start(({ port }) => ({
    files: {
      'options.json': JSON.stringify(serverOptions(port, sandbox.url, options)),
      'requests.jsonl': '',
    },
    command: [process.execPath, join(import.meta.dirname, 'identity-server.mjs'), 'options.json'],
  }));
  const issuer = `http://127.0.0.1:${started.port}`;
  const log = () => readLog(join(started.folder, 'requests.jsonl'));
  const refreshes = () => log().filter(({ grant }) => grant === 'refresh_token');
  return {
    ...started,
    issuer,
    tokenUrl: `${issuer}/connect/token`,
    revocationUrl: `${issuer}/connect/revocation`,
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

function serverOptions(port: number, service: string, { tokenSeconds = 3600, uses }: IdentityOptions) {
  return {
    port,
    issuer: `http://127.0.0.1:${port}`,
    service,
    accounts: [ana],
    clients: Object.values(clients).map(registration),
    scopes,
    tokenSeconds,
    uses: uses ?? Number.MAX_SAFE_INTEGER,
    log: 'requests.jsonl',
  };
}

/** The client metadata of oidc-provider. */
function registration({ id, auth, ...rest }: Client) {
  return {
    client_id: id,
    ...('secret' in rest && { client_secret: rest.secret }),
    token_endpoint_auth_method: auth === 'none' ? 'none' : `client_secret_${auth}`,
    // Clients of this type may redirect to any port.
    application_type: 'native',
    redirect_uris: redirectPaths.map((path) => `http://127.0.0.1${path}`),
    response_types: ['code'],
    grant_types: [
      ...['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      ...('secret' in rest ? ['client_credentials'] : []),
    ],
  };
}

/** Ignores an incomplete last line. */
function readLog(path: string): readonly Logged[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
