import { expect, test } from 'vitest';
import { deviceSentence, webSentence } from '../../src/commands/login/log-in.ts';

const URL = 'https://identity.example.com/authorize?state=abc';
const page = { url: URL, port: 8400 };

test('the URL of an opened page is printed too', () => {
  expect(webSentence({ ...page, isOpened: true })).toBe(
    `A page to log in opens in your browser. If it does not, open it yourself:\n\n  ${URL}\n`,
  );
});

test('the URL of a page that was not opened is printed with what a browser on another machine needs', () => {
  expect(webSentence({ ...page, isOpened: false })).toBe(
    [
      `Open this page in a browser, and log in:\n\n  ${URL}\n`,
      'With a browser on another machine, log in with --device, or forward the port first: ssh -L 8400:127.0.0.1:8400\n',
    ].join('\n'),
  );
});

const device = {
  url: 'https://identity.example.com/device',
  code: 'WDJB-MJHT',
  completeUrl: 'https://identity.example.com/device?user_code=WDJB-MJHT',
  lifetimeMs: 900_000,
};

test('a code is printed with its page and its lifetime', () => {
  expect(deviceSentence({ ...device, isOpened: false })).toBe(
    'Open this page in a browser on any device, and type the code WDJB-MJHT within 15 min:\n\n  https://identity.example.com/device\n',
  );
});
