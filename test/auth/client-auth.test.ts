import { expect, test } from 'vitest';
import { TokenRejected } from '../../src/auth/errors.ts';
import { asClient, type ClientAuth, clientAuthBy } from '../../src/auth/oauth-http.ts';

const open = { id: 'innctl' };
const confidential = { id: 'innctl', secret: 'secret-1234567890' };
const basic = `Basic ${Buffer.from('innctl:secret%2D1234567890').toString('base64')}`;

/** What a server receives from a client with this method. */
async function sent({ method, auth }: ClientAuth) {
  const [form, headers] = [new URLSearchParams(), new Headers()];
  await auth({ issuer: 'https://id.example.com' }, { client_id: 'innctl' }, form, headers);
  return { method, authorization: headers.get('authorization'), form: Object.fromEntries(form) };
}

const inHeader = { method: 'basic', authorization: basic, form: {} };
const byName = { method: 'none', authorization: null, form: { client_id: 'innctl' } };
const inForm = {
  method: 'post',
  authorization: null,
  form: { client_id: 'innctl', client_secret: 'secret-1234567890' },
};

test.each([
  ['basic', confidential, inHeader],
  ['post', confidential, inForm],
  ['none', confidential, byName],
  ['basic', open, byName],
  ['post', open, byName],
  ['none', open, byName],
] as const)('%s sends the client %j', async (method, client, shown) => {
  expect(await sent(clientAuthBy(method, client))).toEqual(shown);
});

test.each([
  [undefined, confidential, inHeader],
  [['client_secret_basic', 'client_secret_post'], confidential, inHeader],
  [['client_secret_post'], confidential, inForm],
  [['private_key_jwt'], confidential, inHeader],
  [['client_secret_post'], open, byName],
  [undefined, open, byName],
])('for a server that supports %j, %j is sent', async (clientAuthMethods, client, shown) => {
  expect(await asClient({ provider: { clientAuthMethods }, client }, sent)).toEqual(shown);
});

const refusal = (code: string) =>
  new TokenRejected({
    status: 401,
    headers: {},
    refusal: { code, messages: [], details: [] },
    isPage: false,
  });

test.each([
  [confidential, 'invalid_client', ['basic', 'post']],
  [confidential, 'invalid_grant', ['basic']],
  [open, 'invalid_client', ['none']],
])('%j is retried after %s with %j, and with no other method', async (client, code, methods) => {
  const shown: string[] = [];
  const ask = async ({ method }: ClientAuth) => {
    shown.push(method);
    throw refusal(code);
  };

  await expect(asClient({ provider: {}, client }, ask)).rejects.toBeInstanceOf(TokenRejected);
  expect(shown).toEqual(methods);
});
