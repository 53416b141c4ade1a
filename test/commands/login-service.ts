import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';

/** The URLs of the simulated services. */
export const IDENTITY = 'https://identity.chain.example';
export const API = 'https://api.chain.example';
export const urls = `--identity-url ${IDENTITY} --base-url ${API}`;

export const token = 'token-of-ana-1234567890';
export const secret = 'secret-of-the-chain-1234567890';

const ana = { subjectId: 'a-1', firstName: 'Ana', lastName: 'Lindner', email: 'ana@example.com' };

/** Answers one users/me request with this token. */
export function whoIs(bearer: string, status = 200, body: object = ana) {
  return nock(IDENTITY, { reqheaders: { authorization: `Bearer ${bearer}` } })
    .get('/api/v1/users/me')
    .reply(status, body);
}

/** Answers the discovery request of the issuer. */
export function described(more: object = {}, issuer = IDENTITY) {
  return nock(issuer)
    .get('/.well-known/openid-configuration')
    .reply(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      device_authorization_endpoint: `${issuer}/device`,
      ...more,
    });
}

/** Answers both discovery requests with 404. */
export function undescribed(issuer = IDENTITY) {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
    nock(issuer).get(path).reply(404, {});
}

/** Issues a token if the form contains these values. */
export function issuing(path: string, form: Readonly<Record<string, string>>, answer: object = {}) {
  return nock(IDENTITY)
    .post(path, (body) => Object.entries(form).every(([key, value]) => body[key] === value))
    .reply(200, { access_token: token, token_type: 'Bearer', expires_in: 3600, ...answer });
}

/** Reads a profile and its credential from a folder. */
export function storedIn(folder: string, name: string) {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')).profiles[name];
  return { profile: read('config.json'), credential: read('credentials.json') };
}
