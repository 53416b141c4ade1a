import { expect, test } from 'vitest';
import { bearerCredentials, deferred } from '../../src/auth/credentials.ts';
import { chain, memoryCache, neverAborted } from './chain.ts';
import { issue, tokenServer } from './login-world.ts';

const HOUR = 3_600_000;

/** The tokens of the servers here last an hour. */
const expiresAt = Date.parse('2026-05-01T13:00:00Z');

test('the request has the client in its Authorization header and the scope in its form', async () => {
  await using server = await tokenServer(() => issue('token-1-of-the-chain'));
  const { credentials } = chain(server.tokenUrl);

  const token = await credentials.current(neverAborted());

  expect(token).toEqual({ header: 'Bearer token-1-of-the-chain', generation: 1, expiresAt });
  expect(server.requests).toMatchObject([
    {
      authorization: `Basic ${Buffer.from('chain:secret+of+the+chain').toString('base64')}`,
      form: { grant_type: 'client_credentials', scope: 'setup.manage' },
      headers: expect.objectContaining({
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'innctl/test',
      }),
    },
  ]);
});

test('a token is renewed once per generation, for all callers', async () => {
  await using server = await tokenServer((n) => issue(`token-${n}`));
  const { credentials } = chain(server.tokenUrl);
  const first = await credentials.current(neverAborted());

  const renewed = await Promise.all(
    Array.from({ length: 20 }, () => credentials.renew(first, neverAborted())),
  );
  const late = await credentials.renew(first, neverAborted());
  const next = await credentials.renew(late ?? first, neverAborted());

  expect(new Set(renewed)).toEqual(new Set([{ header: 'Bearer token-2', generation: 2, expiresAt }]));
  expect(late).toEqual({ header: 'Bearer token-2', generation: 2, expiresAt });
  expect(next).toEqual({ header: 'Bearer token-3', generation: 3, expiresAt });
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['an hour', 3600, HOUR - 30_001, HOUR - 30_000],
  ['a minute', 60, 53_999, 54_000],
  ['a thousand years', 3e10, 24 * HOUR - 30_001, 24 * HOUR - 30_000],
])('a token for %s is renewed shortly before it expires', async (_, expiresIn, good, stale) => {
  await using server = await tokenServer((n) => issue(`token-${n}`, { expires_in: expiresIn }));
  const { credentials, world } = chain(server.tokenUrl);
  const start = world.now;
  await credentials.current(neverAborted());

  world.now = start + good;
  const same = await credentials.current(neverAborted());
  world.now = start + stale;
  const newer = await credentials.current(neverAborted());

  expect([same.generation, newer.generation]).toEqual([1, 2]);
});

test.each([[undefined], [null], [0], [-1], ['never'], [{}]])(
  'an expires_in of %j is ignored: the token is used until a 401, and is not cached',
  async (expiresIn) => {
    await using server = await tokenServer((n) => issue(`token-${n}`, { expires_in: expiresIn }));
    const cache = memoryCache();
    const { credentials, world } = chain(server.tokenUrl, { cache });
    await credentials.current(neverAborted());

    world.now += 1_000 * HOUR;
    const token = await credentials.current(neverAborted());

    expect(token.generation).toBe(1);
    expect(cache.vault.facts().cached_token).toBeUndefined();
  },
);

test('when all callers have aborted, the request is cancelled, and a later caller starts a new one', async () => {
  const stop = new AbortController();
  await using server = await tokenServer(async (n) => {
    if (n === 1) stop.abort(new Error('Ana left'));
    return n === 1 ? new Promise(() => {}) : issue(`token-${n}`);
  });
  const { credentials } = chain(server.tokenUrl);

  await expect(credentials.current(stop.signal)).rejects.toThrow('Ana left');

  expect(await credentials.current(neverAborted())).toEqual({
    header: 'Bearer token-2',
    generation: 1,
    expiresAt,
  });
});

test('a cached token is used instead of a request, and a fetched one is cached', async () => {
  await using server = await tokenServer((n) => issue(`token-${n}`));
  const cache = memoryCache('kept-token');
  const { credentials } = chain(server.tokenUrl, { cache });

  const kept = await credentials.current(neverAborted());
  const renewed = await credentials.renew(kept, neverAborted());

  expect([kept.header, renewed?.header]).toEqual(['Bearer kept-token', 'Bearer token-1']);
  expect(cache.vault.facts().cached_token).toEqual({
    access_token: 'token-1',
    expires_at: expiresAt,
    renew_at: expiresAt - 30_000,
    key: cache.key,
  });
  expect(server.requests).toHaveLength(1);
});

test('a token that another run has cached in the meantime is used', async () => {
  await using server = await tokenServer((n) => issue(`token-${n}`));
  const cache = memoryCache();
  const { credentials } = chain(server.tokenUrl, { cache });
  const first = await credentials.current(neverAborted());
  const cached_token = { access_token: 'token-of-another-run', expires_at: expiresAt, key: cache.key };
  await cache.vault.note((facts) => ({ ...facts, cached_token }));

  expect(await credentials.renew(first, neverAborted())).toEqual({
    header: 'Bearer token-of-another-run',
    generation: 2,
    expiresAt,
  });
  expect(server.requests).toHaveLength(1);
});

test('a cached token of another client, scope or server is not used', async () => {
  await using server = await tokenServer((n) => issue(`token-${n}`));
  const cache = { ...memoryCache('kept-token'), key: 'another chain' };
  const { credentials } = chain(server.tokenUrl, { cache });

  expect((await credentials.current(neverAborted())).header).toBe('Bearer token-1');
});

test.each(['', 'kept\ntoken'])(
  'a cached token that is invalid in a header is replaced: %j',
  async (access_token) => {
    await using server = await tokenServer((n) => issue(`token-${n}`));
    const cache = memoryCache(access_token);
    const { credentials } = chain(server.tokenUrl, { cache });

    expect((await credentials.current(neverAborted())).header).toBe('Bearer token-1');
    expect(cache.vault.facts().cached_token?.access_token).toBe('token-1');
  },
);

test('a token that cannot be kept is used, and the command continues', async () => {
  await using server = await tokenServer((n) => issue(`token-${n}`));
  const cache = memoryCache();
  cache.vault.note = async () => {
    throw new Error('disk full');
  };
  const { credentials } = chain(server.tokenUrl, { cache });

  expect((await credentials.current(neverAborted())).header).toBe('Bearer token-1');
});

test('every secret is redacted', async () => {
  await using server = await tokenServer(() => issue('token-1-of-the-chain'));
  const { credentials, redactor } = chain(server.tokenUrl);
  const { header } = await credentials.current(neverAborted());
  const sent = server.requests[0]?.authorization ?? '';

  expect([header, sent, 'secret of the chain', 'secret%20of%20the%20chain'].map(redactor.text)).toEqual([
    'Bearer [redacted]',
    'Basic [redacted]',
    '[redacted]',
    '[redacted]',
  ]);
});

test('a given token is sent unchanged and cannot be renewed', async () => {
  const credentials = bearerCredentials('ey.J-_~+/=', 'INNCTL_TOKEN');

  const token = await credentials.current(neverAborted());

  expect(token).toEqual({ header: 'Bearer ey.J-_~+/=', generation: 1 });
  expect(await credentials.renew(token, neverAborted())).toBeUndefined();
  expect(credentials).toMatchObject({ source: 'INNCTL_TOKEN', grant: 'token' });
});

test.each([
  ['', 'is empty'],
  ['Bearer abc', 'holds blanks, line breaks or characters outside ASCII'],
  ['abc\r\nx-evil: 1', 'holds blanks, line breaks or characters outside ASCII'],
  ['tökén', 'holds blanks, line breaks or characters outside ASCII'],
])('the token %j is rejected without being shown', (token, reason) => {
  expect(() => bearerCredentials(token, 'INNCTL_TOKEN')).toThrow(
    expect.objectContaining({ exitCode: 2, message: `The token of INNCTL_TOKEN ${reason}.` }),
  );
});

test('an aborted caller stops waiting for the credentials to open; the others continue', async () => {
  let open = (_: ReturnType<typeof bearerCredentials>) => {};
  let openings = 0;
  const credentials = deferred('profile chain', 'token', () => {
    openings += 1;
    return new Promise((resolve) => {
      open = resolve;
    });
  });
  const stop = new AbortController();

  const leaving = credentials.current(stop.signal);
  const staying = credentials.current(neverAborted());
  stop.abort(new Error('interrupted'));
  await expect(leaving).rejects.toThrow('interrupted');
  open(bearerCredentials('token-of-ana', 'profile chain'));

  expect((await staying).header).toBe('Bearer token-of-ana');
  expect((await credentials.current(neverAborted())).header).toBe('Bearer token-of-ana');
  expect(openings).toBe(1);
});
