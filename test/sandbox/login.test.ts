import { describe, expect, test } from 'vitest';
import { issueToken, seal } from '../../src/sandbox/tokens.ts';
import type { FaultyOptions } from '../helpers/fault-front.ts';
import { NOON, sandbox } from './harness.ts';
import { decideAt, post, REDIRECT, request, requestIn, visit } from './logins.ts';

const ME = '/api/v1/users/me';
const CODE = 'authorization_code';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const CLARA = 'clara@aurora.example';

/** A sandbox with many people, whose clock the test moves. */
async function open(options: Partial<FaultyOptions> = {}) {
  const clock = { now: NOON };
  const running = await sandbox({ seed: 'people', requireAuth: true, now: () => clock.now, ...options });
  const { url, call } = running;
  const exchange = (form: Readonly<Record<string, string>>) => post(`${url}/connect/token`, form);
  return {
    ...running,
    clock,
    exchange,
    pageFor: (query: URLSearchParams) => `${url}/connect/authorize?${query}`,
    /** Logs somebody in with the browser. */
    async logIn(person = CLARA, more: Readonly<Record<string, string>> = {}) {
      const { query, verifier } = request(more);
      const { back } = await decideAt(`${url}/connect/authorize?${query}`, person);
      const code = back?.searchParams.get('code') ?? '';
      const form = { grant_type: CODE, code, redirect_uri: REDIRECT, code_verifier: verifier };
      return { form, back, granted: await exchange(form) };
    },
    refresh: (refresh_token: string) => exchange({ grant_type: 'refresh_token', refresh_token }),
    /** The address of the owner of a token, or the status. */
    async owner(accessToken: string) {
      const { status, body } = await call('GET', ME, { headers: { authorization: `Bearer ${accessToken}` } });
      return status === 200 ? (body as { email: string }).email : status;
    },
  };
}

const refused = (error: string, status = 400) => ({
  status,
  body: { error, error_description: expect.any(String) },
});

test('the discovery document names every endpoint of a login', async () => {
  const { url, call } = await sandbox({ dialect: 'apaleo' });

  expect((await call('GET', '/.well-known/openid-configuration')).body).toMatchObject({
    issuer: url,
    authorization_endpoint: `${url}/connect/authorize`,
    token_endpoint: `${url}/connect/token`,
    device_authorization_endpoint: `${url}/connect/deviceauthorization`,
    revocation_endpoint: `${url}/connect/revocation`,
    scopes_supported: expect.arrayContaining(['offline_access', 'identity:account-users.manage']),
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials', CODE, DEVICE, 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
  });
});

describe('a login in the browser', () => {
  test('gives the tokens of the person who was chosen at the page', async () => {
    const { logIn, owner, url } = await open();

    const { granted, back } = await logIn();

    expect(back?.searchParams.get('state')).toBe('of-this-login');
    expect(back?.searchParams.get('iss')).toBe(url);
    expect(granted).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'offline_access',
        refresh_token: expect.any(String),
      },
    });
    expect(await owner(granted.body.access_token)).toBe(CLARA);
  });

  test('without the scope offline_access gives no refresh token', async () => {
    const { logIn } = await open();

    const { granted } = await logIn(CLARA, { scope: 'openid' });

    expect(granted.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
    });
  });

  test('takes the secret of the client as well, and refuses a wrong one', async () => {
    const { pageFor, exchange, clientSecret } = await open();
    const { query, verifier } = request();
    const { back } = await decideAt(pageFor(query), CLARA);
    const code = back?.searchParams.get('code') ?? '';
    const form = { grant_type: CODE, code, redirect_uri: REDIRECT, code_verifier: verifier };

    expect(await exchange({ ...form, client_secret: 'wrong' })).toEqual(refused('invalid_client', 401));
    expect(await exchange({ ...form, client_secret: clientSecret })).toMatchObject({ status: 200 });
  });

  test('has the rights of its scopes alone', async () => {
    const { logIn, call } = await open({ dialect: 'apaleo' });
    const { granted } = await logIn(CLARA, { scope: 'openid identity:account-users.read' });
    const authorization = `Bearer ${granted.body.access_token}`;
    const body = { email: 'eva@example.com' };

    expect(granted.body.scope).toBe('identity:account-users.read');
    expect((await call('GET', '/api/v1/users', { headers: { authorization } })).status).toBe(200);
    const invited = await call('POST', '/api/v1/account/invitations', { headers: { authorization }, body });
    expect(invited.status).toBe(403);
  });

  test('with a scope that no operation needs has no rights', async () => {
    const { logIn, call } = await open({ dialect: 'apaleo' });
    const { granted } = await logIn(CLARA, { scope: 'offline_access identity:account-users.reed' });

    const headers = { authorization: `Bearer ${granted.body.access_token}` };

    expect((await call('GET', '/api/v1/users', { headers })).status).toBe(403);
  });

  test('is sent back when it was denied', async () => {
    const { pageFor, url } = await open();

    const { status, back } = await decideAt(pageFor(request().query), CLARA, 'deny');

    expect(status).toBe(303);
    expect(back?.href).toBe(
      `${REDIRECT}?${new URLSearchParams({ error: 'access_denied', state: 'of-this-login', iss: url })}`,
    );
  });

  test.each([
    ['the redirect URL has another port', { redirect_uri: 'http://127.0.0.1:10/callback' }],
    ['the redirect URL is missing', { redirect_uri: '' }],
    ['the verifier is another one', { code_verifier: request().verifier }],
    ['the verifier is missing', { code_verifier: '' }],
  ])('is refused if %s, and its code is used up', async (_, wrong) => {
    const { pageFor, exchange } = await open();
    const { query, verifier } = request();
    const { back } = await decideAt(pageFor(query), CLARA);
    const code = back?.searchParams.get('code') ?? '';
    const form = { grant_type: CODE, code, redirect_uri: REDIRECT, code_verifier: verifier };

    expect(await exchange({ ...form, ...wrong })).toEqual(refused('invalid_grant'));
    expect(await exchange(form)).toEqual(refused('invalid_grant'));
  });

  test('uses its code once; the second time ends what the first one gave, in every process', async () => {
    const first = await open();
    const second = await sandbox({ folder: first.folder });
    const { granted, form } = await first.logIn();
    const { access_token, refresh_token } = granted.body;

    expect(await post(`${second.url}/connect/token`, form)).toEqual(refused('invalid_grant'));
    expect(await first.owner(access_token)).toBe(401);
    expect(await first.refresh(refresh_token)).toEqual(refused('invalid_grant'));
  });

  test.each([
    ['a code of ten minutes ago', 600_000, true],
    ['a code of nine minutes ago', 540_000, false],
  ])('with %s', async (_, later, isOver) => {
    const { pageFor, exchange, clock } = await open();
    const { query, verifier } = request();
    const { back } = await decideAt(pageFor(query), CLARA);
    clock.now += later;

    const form = {
      code: back?.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    };
    const answer = await exchange({ grant_type: CODE, ...form });

    expect(answer).toEqual(isOver ? refused('invalid_grant') : expect.objectContaining({ status: 200 }));
  });

  test('is refused for a person who was disabled before the code was exchanged', async () => {
    const { pageFor, exchange, folder } = await open();
    const { query, verifier } = request();
    const { back } = await decideAt(pageFor(query), CLARA);
    const admin = await sandbox({ folder });
    const { body } = await admin.call('GET', `/api/v1/users?email=${CLARA}`);
    const [{ subject_id }] = (body as { users: [{ subject_id: string }] }).users;
    const patch = [{ op: 'replace', path: '/enabled', value: false }];
    await admin.call('PATCH', `/api/v1/identity/users/${subject_id}`, { body: patch });

    const form = {
      code: back?.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    };

    expect(await exchange({ grant_type: CODE, ...form })).toEqual(refused('invalid_grant'));
  });

  test.each([
    ['no code', {}, 'invalid_request'],
    ['a forged code', { code: 'a.0.b' }, 'invalid_grant'],
    ['a code that is nothing', { code: '' }, 'invalid_grant'],
    ['a token in place of a code', { code: 'a.b' }, 'invalid_grant'],
  ])('is refused with %s', async (_, form, error) => {
    const { exchange } = await open();

    expect(await exchange({ grant_type: CODE, redirect_uri: REDIRECT, code_verifier: 'x', ...form })).toEqual(
      refused(error),
    );
  });

  test('a refresh token is no code, and a code is no refresh token', async () => {
    const { logIn, exchange, refresh } = await open();
    const { granted, form } = await logIn();

    expect(await exchange({ ...form, code: granted.body.refresh_token })).toEqual(refused('invalid_grant'));
    expect(await refresh(form.code)).toEqual(refused('invalid_grant'));
    expect(await refresh(granted.body.refresh_token)).toMatchObject({ status: 200 });
  });
});

describe('an authorization request', () => {
  test.each([
    ['without a client', 'client_id', undefined],
    ['of another client', 'client_id', 'someone-else'],
    ['without a redirect URL', 'redirect_uri', undefined],
    ['with a redirect to another host', 'redirect_uri', 'https://evil.example/callback'],
    [
      'with a redirect to a host that looks like this one',
      'redirect_uri',
      'http://127.0.0.1.evil.example/callback',
    ],
    ['with a redirect through a user name', 'redirect_uri', 'http://127.0.0.1:80@evil.example/callback'],
    ['with a redirect to a name', 'redirect_uri', 'http://localhost:9/callback'],
    ['with a redirect to another path', 'redirect_uri', 'http://127.0.0.1:9/callback/../other'],
    ['with a redirect that has a query', 'redirect_uri', 'http://127.0.0.1:9/callback?x=1'],
    ['with a redirect that has a fragment', 'redirect_uri', 'http://127.0.0.1:9/callback#x'],
    ['with a redirect over https', 'redirect_uri', 'https://127.0.0.1:9/callback'],
    ['with a redirect to a port that none is', 'redirect_uri', 'http://127.0.0.1:99999/callback'],
    ['with a redirect of two lines', 'redirect_uri', 'http://127.0.0.1:9/callback\nSet-Cookie: x'],
    ['with a redirect to a script', 'redirect_uri', 'javascript:alert(1)'],
  ])('%s is answered with a page, and leads nowhere', async (_, name, value) => {
    const { pageFor } = await open();
    const { query } = request();
    if (value === undefined) query.delete(name);
    else query.set(name, value);

    const { status, html, back } = await visit(pageFor(query));

    expect([status, back]).toEqual([400, undefined]);
    expect(html).toContain('<h1>Not logged in</h1>');
    expect(html).not.toContain('evil');
  });

  test('with two redirect URLs leads nowhere', async () => {
    const { pageFor } = await open();
    const { query } = request();
    query.append('redirect_uri', REDIRECT);

    expect(await visit(pageFor(query))).toMatchObject({ status: 400, back: undefined });
  });

  test.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is no digest', { code_challenge: 'abc' }, 'invalid_request'],
    ['an empty challenge', { code_challenge: '' }, 'invalid_request'],
  ])('with %s is sent back with %3$s', async (_, more, error) => {
    const { pageFor } = await open();

    const { status, back } = await visit(pageFor(request(more).query));

    expect([status, back?.searchParams.get('error'), back?.searchParams.get('state')]).toEqual([
      303,
      error,
      'of-this-login',
    ]);
  });

  test('with a parameter twice is sent back', async () => {
    const { pageFor } = await open();
    const { query } = request();
    query.append('scope', 'offline_access');

    expect((await visit(pageFor(query))).back?.searchParams.get('error')).toBe('invalid_request');
  });

  test('returns the state as it was, whatever is in it', async () => {
    const { pageFor } = await open();
    const state = '"><script>\r\n&code=x#\u202e';

    const { back } = await decideAt(pageFor(request({ state }).query), CLARA);

    expect(back?.searchParams.get('state')).toBe(state);
    expect(back?.searchParams.getAll('code')).toHaveLength(1);
  });
});

describe('the page', () => {
  test('offers everybody who is enabled, and nobody else', async () => {
    const { pageFor } = await open();

    const { html } = await visit(pageFor(request().query));

    const options = [...html.matchAll(/<option value="[\w-]+">(.*)<\/option>/g)].map(([, name]) => name);
    expect(options[0]).toBe('Ana Lindner (ana@aurora.example)');
    expect(options.length).toBeGreaterThan(250);
    expect(html).not.toContain('robert@aurora.example');
  });

  test('shows hostile names as texts', async () => {
    const { pageFor } = await open();

    const { html } = await visit(pageFor(request().query));

    expect(html).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt; &quot;&gt;&lt;img src=x onerror=alert(1)&gt; (html@aurora.example)',
    );
    expect(html).toContain('\\u{202e}gnp.exe');
    for (const raw of ['<script', '<img', '\u0007', '\u001b', '\u202e']) expect(html).not.toContain(raw);
  });

  test('loads nothing, runs nothing, is in no frame, and its form leads back to the program alone', async () => {
    const { pageFor } = await open();

    const { headers } = await visit(pageFor(request().query));

    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      expect.stringMatching(/^style-src 'sha256-[\w+/]{43}='$/),
      "base-uri 'none'",
      "form-action 'self' http://127.0.0.1:9",
      "frame-ancestors 'none'",
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  test.each([
    ['without what was asked', { request: '' }],
    ['with a forged request', { request: 'eyJ9.AAAA' }],
    [
      'with a token in place of the request',
      { request: issueToken({ kind: 'user', subjectId: 'x' }, NOON + 1, 'secret') },
    ],
    [
      'with a request that another sandbox signed',
      { request: seal({ request: {}, expires: NOON + 1 }, 'secret') },
    ],
    ['without a decision', { decision: '' }],
    ['with another decision', { decision: 'maybe' }],
    ['for nobody', { user: '' }],
    ['for somebody who is disabled', { user: '7a2d3b5f-0001-4b7c-8d2e-000000000000' }],
    ['for a name of the prototype', { user: '__proto__' }],
  ])('posted %s logs nobody in', async (_, wrong) => {
    const { pageFor, url } = await open();
    const { html } = await visit(pageFor(request().query));
    const right = {
      request: requestIn(html),
      user: '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01',
      decision: 'allow',
    };

    const { status, back } = await visit(`${url}/connect/authorize`, { ...right, ...wrong });

    expect([status, back]).toEqual([400, undefined]);
  });

  test('expires after ten minutes', async () => {
    const { pageFor, url, clock } = await open();
    const { html } = await visit(pageFor(request().query));
    clock.now += 600_000;

    const answer = await visit(`${url}/connect/authorize`, { request: requestIn(html), decision: 'deny' });

    expect(answer).toMatchObject({ status: 400, back: undefined });
  });

  test('the signed request of the page is no token of the API', async () => {
    const { pageFor, owner } = await open();

    expect(await owner(requestIn((await visit(pageFor(request().query))).html))).toBe(401);
  });
});

describe('a login with a code', () => {
  async function begin(running: Awaited<ReturnType<typeof open>>) {
    const { body } = await post(`${running.url}/connect/deviceauthorization`, { scope: 'offline_access' });
    const ask = () => running.exchange({ grant_type: DEVICE, device_code: body.device_code });
    return { body, ask, page: String(body.verification_uri_complete) };
  }

  test('waits for the person, then gives tokens, once', async () => {
    const running = await open();
    const { body, ask, page } = await begin(running);

    expect(body).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: `${running.url}/device`,
      verification_uri_complete: `${running.url}/device?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await ask()).toEqual(refused('authorization_pending'));
    expect((await decideAt(page, CLARA)).html).toContain('<h1>You allowed the login</h1>');
    const granted = await ask();
    expect(await running.owner(granted.body.access_token)).toBe(CLARA);
    expect(await running.refresh(granted.body.refresh_token)).toMatchObject({ status: 200 });
    expect(await ask()).toEqual(refused('invalid_grant'));
    expect(await running.owner(granted.body.access_token)).toBe(401);
  });

  test('is asked for more slowly when it is asked for too fast', async () => {
    const running = await open();
    const { ask } = await begin(running);
    const askAfter = async (seconds: number) => {
      running.clock.now += seconds * 1_000;
      return (await ask()).body.error;
    };

    const answers = [
      await askAfter(0),
      await askAfter(4),
      await askAfter(9),
      await askAfter(15),
      await askAfter(14),
    ];

    // After 4 seconds the interval is 10, after 9 it is 15.
    expect(answers).toEqual([
      'authorization_pending',
      'slow_down',
      'slow_down',
      'authorization_pending',
      'slow_down',
    ]);
  });

  test('ends when it is denied', async () => {
    const running = await open();
    const { ask, page } = await begin(running);

    expect((await decideAt(page, CLARA, 'deny')).html).toContain('<h1>You denied the login</h1>');

    expect(await ask()).toEqual(refused('access_denied'));
  });

  test('expires, and its page knows the code no more, also when others were begun since', async () => {
    const running = await open();
    const { ask, page } = await begin(running);
    running.clock.now += 600_000;

    expect(await ask()).toEqual(refused('expired_token'));
    await begin(running);
    expect(await ask()).toEqual(refused('expired_token'));
    expect(await visit(page)).toMatchObject({ status: 404 });
  });

  test('is decided once', async () => {
    const running = await open();
    const { page } = await begin(running);
    const { html } = await visit(page);
    await decideAt(page, CLARA, 'deny');

    const again = await visit(`${running.url}/device`, {
      request: requestIn(html),
      user: '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01',
      decision: 'allow',
    });

    expect(again.status).toBe(400);
    expect(await visit(page)).toMatchObject({ status: 404 });
  });

  test('takes the code in small letters and without its hyphen', async () => {
    const running = await open();
    const { body } = await begin(running);
    const typed = String(body.user_code).toLowerCase().replace('-', ' ');

    const { status, html } = await visit(`${running.url}/device?user_code=${encodeURIComponent(typed)}`);

    expect([status, requestIn(html).length > 0]).toEqual([200, true]);
  });

  test('the page without a code asks for it, and says when nobody waits for it', async () => {
    const { url } = await open();

    const empty = await visit(`${url}/device`);
    const wrong = await visit(`${url}/device?user_code=${encodeURIComponent('"><script>')}`);
    const none = await visit(`${url}/device?user_code=`);

    expect([empty.status, wrong.status, none.status]).toEqual([200, 404, 404]);
    expect(empty.html).toContain('<label for="user_code">Code</label>');
    expect(wrong.html).toContain('<p role="alert">No login waits for this code.</p>');
    expect(wrong.html).not.toContain('<script');
  });

  test('belongs to no login in the browser: without a code of their own those are never found', async () => {
    const running = await open();
    await running.logIn();

    expect(await visit(`${running.url}/device?user_code=undefined`)).toMatchObject({ status: 404 });
  });

  test.each([
    ['of another client', { client_id: 'someone-else' }, refused('invalid_client', 401)],
    ['with a wrong secret', { client_secret: 'wrong' }, refused('invalid_client', 401)],
  ])('%s is refused', async (_, form, answer) => {
    const { url } = await open();

    expect(await post(`${url}/connect/deviceauthorization`, form)).toEqual(answer);
  });

  test('is refused with a forged device code', async () => {
    const { exchange } = await open();

    expect(await exchange({ grant_type: DEVICE, device_code: 'a.0.b' })).toEqual(refused('invalid_grant'));
  });
});

describe('a refresh token', () => {
  test('is replaced at each use, and the login goes on', async () => {
    const { logIn, refresh, owner, clock } = await open({ tokenLifeSeconds: 60 });
    const { granted } = await logIn();
    clock.now += 60_000;

    expect(await owner(granted.body.access_token)).toBe(401);
    const next = await refresh(granted.body.refresh_token);

    expect(next.body).toMatchObject({ expires_in: 60, scope: 'offline_access' });
    expect(next.body.refresh_token).not.toBe(granted.body.refresh_token);
    expect(await owner(next.body.access_token)).toBe(CLARA);
  });

  test('ends the whole login when it is used twice, in every process', async () => {
    const first = await open();
    const second = await sandbox({ folder: first.folder });
    const { granted } = await first.logIn();
    const next = await first.refresh(granted.body.refresh_token);

    const again = { grant_type: 'refresh_token', refresh_token: granted.body.refresh_token };
    expect(await post(`${second.url}/connect/token`, again)).toEqual(refused('invalid_grant'));
    expect(await first.refresh(next.body.refresh_token)).toEqual(refused('invalid_grant'));
    expect(await first.owner(next.body.access_token)).toBe(401);
  });

  test('that two send at once gives tokens to one of them', async () => {
    const { logIn, refresh } = await open();
    const { granted } = await logIn();

    const answers = await Promise.all([1, 2].map(() => refresh(granted.body.refresh_token)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  test('is refused after 30 days without use', async () => {
    const { logIn, refresh, clock } = await open();
    const { granted } = await logIn();
    clock.now += 30 * 86_400_000;

    expect(await refresh(granted.body.refresh_token)).toEqual(refused('invalid_grant'));
  });

  test('is refused after a reset of the sandbox', async () => {
    const { logIn, refresh, folder, clock } = await open();
    const { resetState } = await import('../../src/sandbox/store.ts');
    const { granted } = await logIn();

    await resetState({ folder, seed: 'people', now: () => clock.now });

    expect(await refresh(granted.body.refresh_token)).toEqual(refused('invalid_grant'));
  });

  test.each(['', 'a.0.b', 'x', '__proto__.0.'])('is refused when it is %j', async (text) => {
    const { refresh } = await open();

    expect(await refresh(text)).toEqual(refused('invalid_grant'));
  });
});

describe('a revocation', () => {
  test.each(['access_token', 'refresh_token'])('of the %s ends the login', async (name) => {
    const { logIn, refresh, owner, url } = await open();
    const { granted } = await logIn();

    expect(await post(`${url}/connect/revocation`, { token: granted.body[name] })).toEqual({
      status: 200,
      body: undefined,
    });

    expect(await owner(granted.body.access_token)).toBe(401);
    expect(await refresh(granted.body.refresh_token)).toEqual(refused('invalid_grant'));
  });

  test('of a token that is none, or has ended, is a success', async () => {
    const { url, logIn } = await open();
    const { granted } = await logIn();
    const revoke = (token: string) => post(`${url}/connect/revocation`, { token });

    await revoke(granted.body.refresh_token);
    const answers = [await revoke(granted.body.refresh_token), await revoke('x')];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('of a token that no login gave is refused', async () => {
    const { url, token } = await open();

    expect(await post(`${url}/connect/revocation`, { token })).toEqual(refused('unsupported_token_type'));
  });
});

test('a form with a parameter twice is refused', async () => {
  const { url } = await open();
  const body = new URLSearchParams([
    ['client_id', 'sandbox'],
    ['grant_type', 'refresh_token'],
    ['grant_type', 'client_credentials'],
  ]);

  const response = await fetch(`${url}/connect/token`, { method: 'POST', body });

  expect({ status: response.status, body: await response.json() }).toEqual(refused('invalid_request'));
});

test('no secret of a login is stored', async () => {
  const { readFile } = await import('node:fs/promises');
  const { logIn, folder } = await open();
  const { granted, form } = await logIn();

  const stored = await readFile(`${folder}/state.ndjson`, 'utf8');

  expect(stored).toContain('"grants"');
  for (const secret of [form.code, form.code_verifier, granted.body.access_token, granted.body.refresh_token])
    expect(stored).not.toContain(secret);
});

test('what has expired is forgotten when the next login begins', async () => {
  const { readFile } = await import('node:fs/promises');
  const { url, clock, folder } = await open();
  const begin = () => post(`${url}/connect/deviceauthorization`, {});
  await begin();
  clock.now += 600_000;

  await begin();

  const lines = (await readFile(`${folder}/state.ndjson`, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual([
    { delete: ['grants', expect.any(String)] },
    { put: ['grants', expect.any(String), expect.objectContaining({ state: 'waiting' })] },
  ]);
});
