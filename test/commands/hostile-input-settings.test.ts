import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { cli, hotels } from '../helpers/cli.ts';

/** The result of one command line: exit code, stdout, error, and number of requests. */
interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly sent: number;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

/** Runs a line with --json against hosts that refuse every connection. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  let sent = 0;
  const connect: Connect = async () => ({
    request: async () => {
      sent += 1;
      throw new WireFailure('refused', 'Nobody listens.', { sent: false });
    },
    close: async () => {},
  });
  const { exitCode, stdout, stderr } = await cli([...words, '--json'], {
    env: { ...hotels, ...env },
    connect,
  });
  expect(`${stdout}${stderr}`).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
  return { exitCode, stdout, sent, error: stderr === '' ? undefined : JSON.parse(stderr).error };
}

describe('an invalid or ambiguous service URL is rejected without a request', () => {
  test.each([
    ['https://api.example.com:65536', 'is not a URL'],
    ['https://api.example.com\\@evil.example', 'is not a URL'],
    ['https://api\t.example.com', 'is not a URL'],
    ['https://api.exa\u00admple.com', 'is not a URL'],
    ['https://api.example.com/\ud800', 'is not a URL'],
    ['http://127.0.0.1.evil.com', 'would send credentials unencrypted'],
    ['http://localhost.evil', 'would send credentials unencrypted'],
    ['http://0.0.0.0', 'would send credentials unencrypted'],
    ['http://[::ffff:7f00:1]', 'would send credentials unencrypted'],
    ['http://2130706433', 'is read as http://127.0.0.1;'],
    ['http://0x7f000001', 'is read as http://127.0.0.1;'],
    ['http://0177.0.0.1', 'is read as http://127.0.0.1;'],
    ['http://127.1', 'is read as http://127.0.0.1;'],
    ['https://\u0430pple.com', 'is read as https://xn--pple-43d.com;'],
    ['https://\uff45xample.com', 'is read as https://example.com;'],
    ['https://api.example\u3002com', 'is not a URL'],
    ['https://api%2eexample.com', 'is read as https://api.example.com;'],
    ['https://[fe80::1%25eth0]', 'is not a URL'],
    ['https://api.example.com/../admin', 'is read as https://api.example.com/admin;'],
    ['https://api.example.com/v1/%2E%2e', 'is read as https://api.example.com;'],
    ['javascript:alert(1)', 'is not a URL'],
    ['file:///etc/passwd', 'is not a URL'],
    ['//api.example.com', 'is not a URL'],
  ])('%j', async (url, reason) => {
    const fromVariable = await run(['roles', 'list'], { INNCTL_IDENTITY_URL: url });
    const fromFlag = await run([
      ...['profiles', 'add', 'chain', '--auth', 'token', '--base-url', 'https://api.example.com'],
      ...['--identity-url', url],
    ]);

    expect([fromVariable.exitCode, fromVariable.sent, fromFlag.exitCode]).toEqual([2, 0, 2]);
    expect(fromVariable.error?.message).toContain(reason);
    expect(fromFlag.error?.message).toContain(reason);
  });

  test.each([
    'https://api.example.com.',
    'https://API.example.com',
    'https://xn--pple-43d.com',
    'https://api_1.example.com/v1/%C3%BC',
    'https://api.example.com/..x/x.',
    'https://[2001:db8::1]:8443',
  ])('%s is accepted', async (url) => {
    expect(await run(['roles', 'list'], { INNCTL_IDENTITY_URL: url })).toMatchObject({ exitCode: 7 });
  });
});

test('a password in an invalid URL is never printed', async () => {
  const url = 'https://ana:geheim-1234@2130706433:0/../';

  const { exitCode, error } = await run(['roles', 'list'], { INNCTL_IDENTITY_URL: url });

  expect(exitCode).toBe(2);
  expect(error?.message).toContain('has a user name or password');
  expect(error?.message).not.toContain('geheim');
});

/** Invalid values for any setting. */
const invalidValues = [
  '',
  ' ',
  '-',
  'a\nb',
  'a\u0007',
  '\u001b[31mx',
  '\u202ex',
  '\u200b',
  '\ud800',
  '٣',
  '0x10',
  'Infinity',
  '$(touch x)',
  '`x`',
  '"',
  '../..',
  '__proto__',
  'constructor',
  'x'.repeat(5_000),
];

const documentedExitCodes = [0, 2, 3, 4, 7, 11, 12];

describe('an invalid value of a free-form variable never causes an internal error', () => {
  const variables = [
    ...['PROFILE', 'CONFIG_DIR', 'IDENTITY_URL', 'TOKEN', 'TOKEN_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'SCOPE'],
    ...['IDEMPOTENCY_HEADER', 'PROTECT', 'MAX_ATTEMPTS', 'COMPLETE_EMAILS'],
  ];

  test.each(variables)('INNCTL_%s', async (variable) => {
    for (const value of invalidValues) {
      const { exitCode, sent, error } = await run(['roles', 'list'], { [`INNCTL_${variable}`]: value });

      expect(documentedExitCodes, JSON.stringify(value)).toContain(exitCode);
      expect(exitCode === 7, JSON.stringify(value)).toBe(sent > 0);
      expect(error?.code).not.toBe('internal');
    }
  });
});

describe('an invalid value of a restricted variable is reported by name without a request, and an empty one counts as unset, but of a guard', () => {
  const variables = [
    ...['DIALECT', 'AUTH', 'SAFETY', 'FREEZE', 'TIMEOUT', 'MAX_BODY', 'COLOR', 'CA_FILE'],
    ...['INSECURE_HTTP', 'NO_INPUT'],
  ];

  test.each(variables)('INNCTL_%s', async (variable) => {
    const name = `INNCTL_${variable}`;
    const outcomes: unknown[] = [];
    for (const value of invalidValues) {
      const { exitCode, sent, error } = await run(['roles', 'list'], { [name]: value });
      outcomes.push({ value, exitCode, isSent: sent > 0, isNamed: error?.message.includes(name) });
    }

    expect(outcomes).toEqual(
      invalidValues.map((value) =>
        value === '' && !['SAFETY', 'FREEZE'].includes(variable)
          ? { value, exitCode: 7, isSent: true, isNamed: false }
          : { value, exitCode: 2, isSent: false, isNamed: true },
      ),
    );
  });
});

describe('an invalid word never causes an internal error', () => {
  const local = /^innctl (?:profiles|config|runs|completion|commands|help|schema|sandbox (?:reset|path)) ?/;
  const targets = readFileSync('docs/surface.txt', 'utf8')
    .split('\n')
    .filter((line) => local.test(line) || /^innctl (?:-\w, )?--[\w-]+ </.test(line))
    .flatMap((line) => {
      const [, command = '', flag] =
        /^innctl ?([a-z ]*?)(?: \(.*| [<[].*)?(?: ?(?:-\w, )?(--[\w-]+) <.*)?$/.exec(line) ?? [];
      return [{ words: command === '' ? ['roles', 'list'] : command.split(' '), flag }];
    });

  test('docs/surface.txt lists enough arguments and flags', () => {
    expect(targets.length).toBeGreaterThan(40);
  });

  test.each(targets)('$words $flag', async ({ words, flag }) => {
    for (const value of invalidValues) {
      const typed = flag === undefined ? value : `${flag}=${value}`;
      const { exitCode, stdout, sent, error } = await run([...words, typed]);

      expect(documentedExitCodes, `${typed} ${error?.message}`).toContain(exitCode);
      expect(exitCode === 7).toBe(sent > 0);
      expect(error?.code).not.toBe('internal');
      if (stdout !== '') expect(() => JSON.parse(stdout)).not.toThrow();
    }
  });
});
