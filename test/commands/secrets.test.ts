import nock from 'nock';
import { expect, test } from 'vitest';
import type { Prompter } from '../../src/model/ports.ts';
import { API, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

onlyIntercepted();

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
