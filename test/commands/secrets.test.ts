import nock from 'nock';
import { expect, test } from 'vitest';
import type { Prompter } from '../../src/model/ports.ts';
import { API, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

const LONG_TOKEN = 'token-of-ana-'.padEnd(1_203, '0123456789');

onlyIntercepted();

test('a token longer than the quoted part of an error is redacted completely', async () => {
  nock(API)
    .get('/inventory/v1/properties')
    .query(true)
    .reply(401, { message: `The token ${LONG_TOKEN} has expired` });

  const { stderr } = await cli('properties list', { env: { ...hotels, INNCTL_TOKEN: LONG_TOKEN } });

  expect(stderr).toContain('The token [redacted] has expired (401 from api.example.com).');
  expect(stderr).not.toContain('token-of-ana');
});

test('a client secret echoed by the token server is redacted completely', async () => {
  nock(IDENTITY)
    .post('/connect/token')
    .reply(400, { error: 'invalid_scope', error_description: `${'B'.repeat(990)}${LONG_TOKEN}` });

  const { stderr } = await cli('properties list', {
    env: {
      INNCTL_IDENTITY_URL: IDENTITY,
      INNCTL_BASE_URL: API,
      INNCTL_TOKEN_URL: `${IDENTITY}/connect/token`,
      INNCTL_CLIENT_ID: 'ana',
      INNCTL_CLIENT_SECRET: LONG_TOKEN,
    },
  });

  expect(stderr).toContain(`invalid_scope; ${'B'.repeat(990)}[redacted] (400 from`);
  expect(stderr).not.toContain('token-of');
});

test('a token truncated in a table is redacted completely', async () => {
  nock(API)
    .get('/inventory/v1/properties')
    .query(true)
    .reply(200, {
      count: 1,
      items: [{ id: 'BER', name: `${'B'.repeat(50)} ${hotels.INNCTL_TOKEN}${'V'.repeat(40)}` }],
    });

  const { stdout } = await cli('properties list --limit 1', { env: hotels, columns: 70 });

  expect(stdout).toContain(`│ ${'B'.repeat(50)} [redacte… │`);
  expect(stdout).not.toContain('token-of');
});

test('a token is redacted in prompts and choices', async () => {
  nock(IDENTITY)
    .get('/api/v1/roles')
    .reply(200, { roles: ['Housekeeping'] });
  nock(API)
    .get('/inventory/v1/properties')
    .query(true)
    .reply(200, { count: 1, items: [{ id: 'BER', name: hotels.INNCTL_TOKEN }] });
  nock(IDENTITY).post('/api/v1/invitations').reply(200, { email: 'ana@example.com' });
  const shown: unknown[] = [];

  await cli('invitations create --no-check ana@example.com', {
    env: hotels,
    answers: [],
    prompter: firstEntryPrompter((...texts) => shown.push(...texts)),
  });

  expect(shown).toEqual(['Role', 'Housekeeping', 'Properties', 'BER  [redacted]', 'Send it?']);
});

/** A prompter that selects the first entry of every list. */
function firstEntryPrompter(record: (...texts: readonly string[]) => void): Prompter {
  return {
    ...noPrompter,
    confirm: async (question) => {
      record(question);
      return true;
    },
    choose: async (question, choices) => {
      record(question, ...choices.map(({ label }) => label));
      return choices[0]?.value ?? '';
    },
    chooseSeveral: async (question, choices) => {
      record(question, ...choices.map(({ label }) => label));
      return choices.map(({ value }) => value);
    },
  };
}
