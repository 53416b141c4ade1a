import { expect, test } from 'vitest';
import { deviceSentence, webSentence } from '../../src/commands/login/obtain.ts';

const URL = 'https://identity.example.com/authorize?state=abc';
const page = { url: URL, port: 8400 };
const ssh = { SSH_CONNECTION: '2001:db8::1 50000 2001:db8::2 22' };

test('the URL of an opened page is printed too', () => {
  expect(webSentence({ ...page, isOpened: true }, { env: {}, argv: [] })).toBe(
    `A page to log in opens in your browser. If it does not, open it yourself:\n\n  ${URL}\n`,
  );
});

test('the URL of a page that was not opened is printed with instructions', () => {
  expect(webSentence({ ...page, isOpened: false }, { env: {}, argv: [] })).toBe(
    `Open this page in a browser, and log in:\n\n  ${URL}\n`,
  );
});

test.each([
  ['with a known host', ssh, '2001:db8::2'],
  ['with an unknown host', { SSH_TTY: '/dev/pts/0' }, "'<this machine>'"],
])('over SSH the port forwarding is printed, and --device: %s', (_, env, host) => {
  const lines = webSentence({ ...page, isOpened: false }, { env, argv: ['login'] }).split('\n');

  expect(lines.slice(0, 3)).toEqual(['Open this page in a browser, and log in:', '', `  ${URL}`]);
  expect(lines).toContain(`  ssh -N -L 8400:127.0.0.1:8400 ${host}`);
  expect(lines).toContain('Or log in with a code: innctl login --device');
});

test('the command for a device login is the typed one, without the browser options', () => {
  const env = { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' };
  const argv = ['login', '--web', '-p', 'vienna', '--redirect-port', '8400', '--client-id', 'chain'];

  expect(webSentence({ ...page, isOpened: false }, { env, argv })).toContain(
    '\nOr log in with a code: innctl login -p vienna --client-id chain --device\n',
  );
});

test('the host in the environment is quoted and escaped in the command', () => {
  const env = { SSH_CONNECTION: 'a 1 $(id)\u001b[2J 22' };

  expect(webSentence({ ...page, isOpened: false }, { env, argv: ['login'] })).toMatch(
    /127\.0\.0\.1:8400 "\$\(printf '\$\(id\)/,
  );
  expect(webSentence({ ...page, isOpened: false }, { env, argv: ['login'] })).not.toContain('\u001b');
});

test('over SSH an opened browser needs no port forwarding', () => {
  expect(webSentence({ ...page, isOpened: true }, { env: ssh, argv: [] })).not.toContain('ssh -N');
});

const device = {
  url: 'https://identity.example.com/device',
  code: 'WDJB-MJHT',
  completeUrl: undefined,
  lifetimeMs: 900_000,
};

test('a code is printed with its page and its lifetime', () => {
  expect(deviceSentence({ ...device, isOpened: false })).toBe(
    'Open this page in a browser on any device, and type the code WDJB-MJHT within 15 minutes:\n\n  https://identity.example.com/device\n',
  );
});

test('a page with the code filled in is printed too', () => {
  const completeUrl = `${device.url}?user_code=WDJB-MJHT`;
  const lines = deviceSentence({ ...device, completeUrl, isOpened: true, lifetimeMs: 30_000 }).split('\n');

  expect(lines[0]).toBe(
    'A page opens in your browser. If it does not, open this one, and type the code WDJB-MJHT within 30 seconds:',
  );
  expect(lines).toContain(`  ${completeUrl}`);
});
