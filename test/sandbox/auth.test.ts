import { describe, expect, test } from 'vitest';
import { NOON, sandbox } from './harness.ts';

const me = '/api/v1/users/me';
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('tokens', () => {
  test('the token of the sandbox belongs to the account admin', async () => {
    const { call, token } = await sandbox({ requireAuth: true });

    expect(await call('GET', me, bearer(token))).toMatchObject({
      status: 200,
      body: { email: 'ana@aurora.example' },
    });
  });

  test('a request without a token is rejected if one is required', async () => {
    const { call } = await sandbox({ requireAuth: true });

    const refused = await call('GET', me);

    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test.each([
    ['that is forged', 'Bearer eyJ9.AAAA'],
    ['of another scheme', 'Basic c2FuZGJveDp4'],
  ])('a token %s is rejected even if none is required', async (_, authorization) => {
    const { call } = await sandbox();

    const refused = await call('GET', me, { headers: { authorization } });

    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
  });

  test('a token is valid until it expires, also in another process on the same state', async () => {
    const clock = { now: NOON };
    const first = await sandbox({ now: () => clock.now });
    const second = await sandbox({ folder: first.folder, now: () => clock.now });
    const use = async () => (await second.call('GET', me, bearer(first.token))).status;

    expect(await use()).toBe(200);
    clock.now += 30 * 86_400_000;
    expect(await use()).toBe(401);
  });
});

describe('client credentials', () => {
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  const grant = { grant_type: 'client_credentials' };

  test.each(['the form', 'Basic'])('get a token by %s, which belongs to no user', async (way) => {
    const { call, clientId, clientSecret } = await sandbox({ requireAuth: true });
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

    const granted = await call(
      'POST',
      '/connect/token',
      way === 'Basic'
        ? form({ ...grant, scope: 'setup.manage' }, { authorization: basic })
        : form({ ...grant, scope: 'setup.manage', client_id: clientId, client_secret: clientSecret }),
    );

    expect([granted.status, granted.headers.get('cache-control'), granted.body]).toEqual([
      200,
      'no-store',
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'setup.manage' },
    ]);
    const { access_token: token } = granted.body as { access_token: string };
    expect((await call('GET', '/api/v1/roles', bearer(token))).status).toBe(200);
    const refused = await call('GET', me, bearer(token));
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: {
        code: 'no_user',
        message: 'The caller sandbox authenticated with client credentials, which belong to no user.',
        details: [],
      },
    });
  });

  test('invite in the client’s own name', async () => {
    const { call, clientId, clientSecret } = await sandbox();
    const secret = { client_id: clientId, client_secret: clientSecret };
    const { body } = await call('POST', '/connect/token', form({ ...grant, ...secret }));
    const { access_token: token } = body as { access_token: string };

    await call('POST', '/api/v1/invitations', { ...bearer(token), body: { email: 'eva@example.com' } });

    const { body: list } = await call('GET', '/api/v1/invitations');
    expect(list).toMatchObject({
      invitations: expect.arrayContaining([
        expect.objectContaining({ email: 'eva@example.com', invited_by: 'sandbox' }),
      ]),
    });
  });

  type Own = Readonly<Record<'client_id' | 'client_secret', string>>;

  test.each<[string, (own: Own) => Record<string, string>, number, string]>([
    ['a wrong secret', (own) => ({ ...grant, ...own, client_secret: 'x' }), 401, 'invalid_client'],
    ['no credentials', () => grant, 400, 'invalid_request'],
    ['another grant', (own) => ({ ...own, grant_type: 'password' }), 400, 'unsupported_grant_type'],
  ])('are rejected with %s, with an OAuth error', async (_, fieldsOf, status, error) => {
    const { call, clientId, clientSecret } = await sandbox();
    const fields = fieldsOf({ client_id: clientId, client_secret: clientSecret });

    const refused = await call('POST', '/connect/token', form(fields));

    expect([refused.status, refused.body]).toEqual([
      status,
      { error, error_description: expect.any(String) },
    ]);
  });
});
