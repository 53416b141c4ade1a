import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const MIA = { email: 'mia@example.com', role: 'Housekeeping' };

onlyIntercepted();

describe('invite <address> is invitations create, and further words are properties', () => {
  test.each([
    ['invite mia@example.com --role Housekeeping BER VIE', ['BER', 'VIE']],
    ['invite --role Housekeeping mia@example.com BER VIE', ['BER', 'VIE']],
    ['invite mia@example.com BER --role Housekeeping VIE', ['BER', 'VIE']],
    ['invite --role=Housekeeping --email mia@example.com', undefined],
    ['invite --quiet mia@example.com --role Housekeeping BER', ['BER']],
    ['--json invitation mia@example.com BER VIE --role Housekeeping', ['BER', 'VIE']],
    ['invitations mia@example.com BER,VIE MUC --role Housekeeping', ['BER', 'VIE', 'MUC']],
    ['invitations create mia@example.com BER VIE --role Housekeeping', ['BER', 'VIE']],
    ['invite new mia@example.com --role Housekeeping -- BER', ['BER']],
    ['invite mia@example.com BER --role Housekeeping --properties VIE', ['BER', 'VIE']],
    ['invite mia@example.com BER --role Housekeeping --property BER,MUC', ['BER', 'MUC']],
    ['invite mia@example.com --role Housekeeping --properties BER VIE', ['VIE', 'BER']],
  ])('%s', async (line, properties) => {
    const body = properties === undefined ? MIA : { ...MIA, properties };
    nock('https://identity.example.com', AUTH)
      .post('/api/v1/invitations', body)
      .reply(200, { email: 'mia@example.com' });

    const { exitCode } = await cli(line.replace('--role', '--no-check --role'), { env: hotels });
    expect(exitCode).toBe(0);
  });

  test('--help shows the page of invitations create', async () => {
    const page = await cli('invitations create --help');

    expect(await cli('invite mia@example.com --help')).toEqual(page);
    expect(page.stdout).toContain('Usage: innctl invitations create [email] [properties...] [flags]\n');
  });
});

describe('nothing is sent', () => {
  test.each([
    [
      'invite mia@example.com ana@example.com --role Housekeeping',
      'The e-mail addresses differ (email "mia@example.com", argument "ana@example.com"); one person is invited at a time.',
    ],
    ['invite mia@example.com a/b --role Housekeeping', 'properties: "a/b" has characters that no id has'],
    ["invite mia@example.com '' --role Housekeeping", 'properties: must not be empty'],
    ['invite mia@example.com [] --role Housekeeping', 'properties: "[]" has characters that no id has'],
    ['invite create BER mia@example.com', expect.stringContaining('e-mail')],
    ['invite --role Housekeeping delete mia@example.com', "unknown option '--role'"],
    ['invite list mia@example.com', "too many arguments for 'list'. Expected 0 arguments but got 1."],
    ['roles mia@example.com', "unknown command 'mia@example.com'"],
  ])('%s', async (line, message) => {
    const { exitCode, stdout, stderr } = await cli(`${line} --json`, { env: hotels });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr).error.message).toEqual(message);
  });
});
