import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from './certificates.ts';
import { ana, clients, startIdentity } from './identity.ts';
import { agree, logIn, visit } from './identity-login.ts';

test.each([clients.native, clients.basic, clients.post])(
  'after a login with $id the service accepts the token',
  async (client) => {
    await using identity = await startIdentity();

    const { access_token: token, refresh_token: refresh } = await logIn(identity, client);
    const authorization = `Bearer ${token}`;
    const answers = await Promise.all(
      [{ authorization }, { authorization: `${authorization}x` }].map((headers) =>
        fetch(`${identity.issuer}/api/v1/users/me`, { headers }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
    expect(refresh).toEqual(expect.any(String));
    expect(identity.log().filter(({ route }) => route === 'token')).toEqual([
      expect.objectContaining({ grant: 'authorization_code', client: client.id, status: 200 }),
    ]);
  },
);

test('reuse of a refresh token ends the login', async () => {
  await using identity = await startIdentity();
  const { refresh_token: first } = await logIn(identity);
  const visitor = visit(identity);
  const refresh = async (token: string) => {
    const form = { grant_type: 'refresh_token', client_id: clients.native.id, refresh_token: token };
    const { status, body } = await visitor.post(identity.tokenUrl, form);
    return { status, ...JSON.parse(body) };
  };

  const { refresh_token: second } = await refresh(first);
  expect(identity.reused()).toEqual([]);
  expect(await refresh(first)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await refresh(second)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(identity.reused()).toEqual([identity.refreshes()[0]?.token]);
});

test('a device login is confirmed on pages', async () => {
  await using identity = await startIdentity();
  const device = visit(identity);
  const authorization = await device.post(`${identity.issuer}/connect/deviceauthorization`, {
    client_id: clients.native.id,
    scope: 'openid offline_access',
  });
  const { user_code: code, device_code, verification_uri: url } = JSON.parse(authorization.body);

  const visitor = visit(identity);
  const { body } = await visitor.get(url);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
  expect((await visitor.post(url, { xsrf, user_code: code })).body).toContain(code);
  const { location = '' } = await visitor.post(url, { xsrf, user_code: code, confirm: 'yes' });
  await expect(agree(visitor, location, ana)).rejects.toThrow('You can close this page.');
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const granted = await device.post(identity.tokenUrl, {
    client_id: clients.native.id,
    grant_type,
    device_code,
  });

  expect(JSON.parse(granted.body)).toMatchObject({ refresh_token: expect.any(String) });
});

test('TLS as localhost, with a private authority', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-authority-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await using identity = await startIdentity({ authority: createAuthority(folder), tokenSeconds: 2 });

  expect(identity.issuer).toMatch(/^https:\/\/localhost:/);
  expect(await logIn(identity)).toMatchObject({ expires_in: 2, refresh_token: expect.any(String) });
});
