import { describe, expect, test } from 'vitest';
import { type Flags, resolveSettings, type Settings } from '../../src/config/resolve.ts';

const chain = {
  identity_url: 'https://identity.chain.example',
  base_url: 'https://api.chain.example/v2/',
  auth: 'client-credentials',
  client_id: 'chain-cli',
  defaults: { timeout: 60, max_attempts: 3, output: 'table' },
};

const document = { version: 1, active_profile: 'chain', profiles: { chain, inn: {} } } as const;

const service = {
  INNCTL_IDENTITY_URL: 'https://identity.env.example',
  INNCTL_BASE_URL: 'https://api.env.example',
  INNCTL_TOKEN: 'token-of-ana',
};

function resolve(flags: Flags, env: Record<string, string> = {}, file: object = document): Settings {
  return resolveSettings({ flags, env, document: { version: 1, profiles: {}, ...file } });
}

describe('precedence', () => {
  test.each([
    { flags: { timeout: '5' }, env: { INNCTL_TIMEOUT: '7' }, value: 5, source: 'flag --timeout' },
    { flags: {}, env: { INNCTL_TIMEOUT: '7' }, value: 7, source: 'INNCTL_TIMEOUT' },
    { flags: {}, env: { INNCTL_TIMEOUT: '' }, value: 60, source: 'profile chain' },
  ])('a timeout of $value comes from $source', ({ flags, env, value, source }) => {
    expect(resolve(flags, env).timeout).toEqual({ value, source });
  });
});

describe('profiles', () => {
  test.each([
    { flags: { profile: 'inn' }, env: { INNCTL_PROFILE: 'chain' }, value: 'inn', source: 'flag --profile' },
    { flags: {}, env: { INNCTL_PROFILE: 'inn' }, value: 'inn', source: 'INNCTL_PROFILE' },
    { flags: {}, env: { INNCTL_PROFILE: '' }, value: 'chain', source: 'profiles use' },
  ])('$value is active by $source', ({ flags, env, value, source }) => {
    expect(resolve(flags, env).profile).toEqual({ value, source });
  });

  test('a profile selected by a flag ignores service and credential variables', () => {
    const env = { ...service, INNCTL_AUTH: 'token', INNCTL_CLIENT_ID: 'env', INNCTL_TIMEOUT: '7' };
    const { baseUrl, token, auth, clientId, timeout, warnings } = resolve({ profile: 'chain' }, env);

    expect({ baseUrl, token, auth, clientId, timeout, warnings }).toEqual({
      baseUrl: { value: 'https://api.chain.example/v2', source: 'profile chain' },
      token: undefined,
      auth: { value: 'client-credentials', source: 'profile chain' },
      clientId: { value: 'chain-cli', source: 'profile chain' },
      timeout: { value: 7, source: 'INNCTL_TIMEOUT' },
      warnings: [],
    });
  });

  test.each([
    { by: '--profile', flags: { profile: 'sandbox' }, env: {}, file: {} },
    { by: 'INNCTL_PROFILE', flags: {}, env: { INNCTL_PROFILE: 'sandbox' }, file: {} },
    { by: 'profiles use', flags: {}, env: {}, file: { active_profile: 'sandbox' } },
  ])('the sandbox, selected by $by, ignores service settings', ({ flags, env, file }) => {
    const { sandbox, identityUrl, baseUrl, token, warnings } = resolve(flags, { ...service, ...env }, file);

    expect({ sandbox, identityUrl, baseUrl, token, warnings }).toEqual({
      sandbox: true,
      identityUrl: undefined,
      baseUrl: undefined,
      token: undefined,
      warnings: [],
    });
  });

  test('a sandbox in the file keeps its defaults and gets no URL', () => {
    const file = {
      profiles: { sandbox: { base_url: 'https://api.chain.example', defaults: { timeout: 9 } } },
    };
    const { baseUrl, timeout } = resolve({ profile: 'sandbox' }, {}, file);

    expect({ baseUrl, timeout }).toEqual({
      baseUrl: undefined,
      timeout: { value: 9, source: 'profile sandbox' },
    });
  });

  test.each([
    { flags: { profile: 'chan' }, env: {}, file: document, where: 'flag --profile' },
    { flags: {}, env: { INNCTL_PROFILE: 'chan' }, file: document, where: 'INNCTL_PROFILE' },
    { flags: {}, env: {}, file: { ...document, active_profile: 'chan' }, where: 'profiles use' },
  ])('an unknown profile ($where) is rejected with the existing names', ({ flags, env, file, where }) => {
    expect(() => resolve(flags, env, file)).toThrow(
      expect.objectContaining({
        message: `There is no profile "chan" (${where}). There are: chain, inn, sandbox.`,
        hint: 'innctl profiles list',
        exitCode: 2,
      }),
    );
  });
});

describe('invalid values', () => {
  test('all invalid values are reported at once, each with its source', () => {
    const file = {
      active_profile: 'chain',
      profiles: { chain: { base_url: 5, defaults: { max_body: [] } } },
    };

    expect(() => resolve({ timeout: 'soon' }, { INNCTL_MAX_ATTEMPTS: '99' }, file)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        details: [
          {
            field: 'config.json: profiles.chain.base_url',
            reason: 'is not a URL of the form https://host/path',
          },
          { field: '--timeout', reason: '"soon" is not a number of seconds above 0 and up to 86400' },
          { field: 'INNCTL_MAX_ATTEMPTS', reason: '"99" is not a whole number from 1 to 20' },
          {
            field: 'config.json: profiles.chain.defaults.max_body',
            reason: 'must be a text, a number, true or false',
          },
        ],
      }),
    );
  });

  test('an overridden value is not validated', () => {
    expect(resolve({ timeout: '5' }, { INNCTL_TIMEOUT: 'soon' }).timeout?.value).toBe(5);
  });

  test('an invalid token is not quoted', () => {
    expect(() => resolve({}, { INNCTL_TOKEN: 'two words' }, {})).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('two words') }),
    );
  });

  test('http to another host must be allowed, and then causes a warning', () => {
    const env = { ...service, INNCTL_BASE_URL: 'http://api.env.example' };

    expect(() => resolve({}, env, {})).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('INNCTL_BASE_URL: http to') }),
    );
    expect(resolve({ insecure_http: 'true' }, env, {}).warnings).toEqual([
      'What goes to http://api.env.example (INNCTL_BASE_URL) is not encrypted: others on the network can read it.',
    ]);
  });
});
