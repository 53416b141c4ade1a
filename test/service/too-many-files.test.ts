import { expect, test } from 'vitest';
import { failureError } from '../../src/service/refusal.ts';
import { mayRetry } from '../../src/service/retry.ts';
import { connectFailure, proxyFailure } from '../../src/service/wire/connections.ts';

const full = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const peer = (tls: boolean) => ({ host: 'api.example.com', tls, connectTimeoutMs: 1_000 });

test.each([
  ['EMFILE', connectFailure, false, ''],
  ['ENFILE', connectFailure, false, ''],
  ['EMFILE', connectFailure, true, ''],
  ['EMFILE', proxyFailure, false, 'the proxy '],
  ['EMFILE', proxyFailure, true, 'the proxy '],
])('%s is reported with a hint, and as not sent (case %#)', (code, failureOf, tls, who) => {
  const failure = failureOf(full(code), peer(tls));

  const { code: reported, exitCode, message, hint } = failureError(failure, 'invite Ana');

  expect({ code: reported, exitCode, message, hint }).toEqual({
    code: 'too_many_files',
    exitCode: 7,
    message: `Could not invite Ana: ${who}api.example.com could not be connected to: too many files are open (${code}).`,
    hint: 'Raise the limit with ulimit -n, or lower --concurrency where the command takes it.',
  });
  expect(mayRetry('once', { kind: 'failure', failure })).toBe(true);
});
