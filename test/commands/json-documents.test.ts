import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { environmentOf } from '../reference/lines.ts';

const hotel =
  '--code HAM --name en=Harbour --company-name GmbH --commercial-register-entry HRB --tax-id DE1 ' +
  '--address-line1 Kai --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin ' +
  '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR';

/** For each command a line that succeeds and one that fails, at the service where possible. */
const lines: Readonly<Record<string, { readonly succeeds: string; readonly fails: string }>> = {
  'invitations list': { succeeds: '', fails: '--limit 0' },
  'invitations create': {
    succeeds: 'mia@example.com --role Housekeeping --properties BER',
    fails: 'mia@example.com --role Housekeping --properties BER',
  },
  'invitations delete': { succeeds: 'lea.wagner@aurora.example --yes', fails: 'nobody@example.com --yes' },
  'invitations resend': {
    succeeds: 'jonas.keller@aurora.example --yes --progress none',
    fails: 'nobody@example.com --yes',
  },
  'people offboard': {
    succeeds: 'ben@aurora.example --confirm ben@aurora.example --progress none',
    fails: 'nobody@example.com --confirm nobody@example.com',
  },
  'people onboard': {
    succeeds: 'mia@example.com --role Housekeeping --properties BER --progress none',
    fails: 'mia@example.com --role Housekeeping --properties BRE',
  },
  'roles list': { succeeds: '', fails: '--page-number 0' },
  'users list': { succeeds: '--property-ids BER', fails: '--page-size 1e9' },
  'users get': { succeeds: 'ben@aurora.example', fails: 'bne@aurora.example' },
  'users update': {
    succeeds: 'karl@aurora.example --enable',
    fails: 'karl@aurora.example --set-properties NOWHERE',
  },
  'users grant': {
    succeeds: 'ben@aurora.example --property BER',
    fails: 'ben@aurora.example --property VEI',
  },
  'users revoke': {
    succeeds: 'ben@aurora.example --property MUC --yes',
    fails: 'ben@aurora.example --property VEI',
  },
  'users enable': { succeeds: 'karl@aurora.example', fails: 'kral@aurora.example' },
  'users disable': {
    succeeds: 'karl@aurora.example --confirm karl@aurora.example',
    fails: 'kral@aurora.example --confirm kral@aurora.example',
  },
  'users me': { succeeds: '', fails: 'too many words' },
  'properties list': { succeeds: '--all', fails: '--limit none' },
  'properties create': { succeeds: hotel, fails: '--code HAM' },
  'properties count': { succeeds: '', fails: '--nonsense' },
  'properties exists': { succeeds: 'BER', fails: 'not/an/id' },
  'properties get': { succeeds: 'BER', fails: 'BRE' },
  'properties update': { succeeds: 'BER --name en=Berlin', fails: 'BER --name fr=Berlin' },
  'properties clone': {
    succeeds: 'BER --code KIE --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
    fails: 'NOPE --code KIE',
  },
  'properties set-live': { succeeds: 'MUC --confirm MUC', fails: 'MUC' },
  'properties archive': { succeeds: 'BER --confirm BER', fails: 'MUC --confirm MUC' },
  'properties reset': { succeeds: 'MUC --confirm MUC', fails: 'MUC' },
  'properties delete': { succeeds: 'MUC --confirm MUC', fails: 'BER --confirm BER' },
  'countries list': { succeeds: '', fails: '--limit -1' },
  plan: { succeeds: 'test/commands/seed.yaml', fails: 'test/commands/nowhere.yaml' },
  apply: {
    succeeds: 'test/commands/seed.yaml --progress none',
    fails: 'test/commands/seed.yaml --plan package.json',
  },
  export: { succeeds: '', fails: '--property NOWHERE' },
  api: { succeeds: 'GET /inventory/v1/properties', fails: 'GET /inventory/v1/nothing' },
  whoami: { succeeds: '', fails: 'too many words' },
  'auth status': { succeeds: '', fails: 'chain' },
  commands: { succeeds: '', fails: 'properties' },
  doctor: { succeeds: '', fails: 'properties' },
};

const commands = readFileSync('docs/surface.txt', 'utf8')
  .split('\n')
  .filter((line) =>
    /^innctl ((invitations|people|roles|users|properties|countries) [a-z]|auth status|(plan|apply|export|api) |(commands|doctor|whoami)$)/.test(
      line,
    ),
  )
  .map(
    (line) => /^innctl (plan|apply|export|api|commands|doctor|whoami|[a-z-]+ [a-z-]+)/.exec(line)?.[1] ?? '',
  );

const run = async (command: string, words: string) => {
  const folder = await temporaryFolder();
  const env = environmentOf(command);
  return cli(`--sandbox --json ${command} ${words}`, { folder, connect: connectUndici, env });
};

test('the table contains every service command and every command about innctl itself', () => {
  expect(Object.keys(lines).toSorted()).toEqual([...new Set(commands)].toSorted());
});

test.each(Object.entries(lines))(
  '--json prints one document on stdout: %s',
  async (command, { succeeds }) => {
    const { exitCode, stdout, stderr } = await run(command, succeeds);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^(Plan: .*\n)?$/),
    });
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  },
);

test.each(Object.entries(lines))(
  '--json prints one document on stderr on errors: %s',
  async (command, { fails }) => {
    const { exitCode, stdout, stderr } = await run(command, fails);

    expect({ isFailure: exitCode > 0, stdout }).toEqual({ isFailure: true, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({
        code: expect.any(String),
        message: expect.any(String),
        details: expect.any(Array),
      }),
    });
  },
);
