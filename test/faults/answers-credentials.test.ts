import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { parseFault, startSandbox } from '../helpers/fault-front.ts';
import { httpServer } from '../helpers/servers.ts';
import { errorIn, expectedOf, inWords, rehearseEach } from './rehearsal.ts';

describe('a redirect to another origin', () => {
  const notThere = 'exit 1 redirected after 1, not done';
  const refused = [notThere, notThere, notThere, notThere] as const;
  /** A 303 is what follows a request that was carried out. */
  const unknown = [
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 3, not done',
  ] as const;

  test.each([301, 302, 303, 307, 308])(
    'with %i is not followed by an operation of any safety',
    async (status) => {
      const turn = status;
      const requests: string[] = [];
      await using other = await httpServer((request, response) => {
        requests.push(`${request.method} ${request.url}`);
        response.end('{}');
      });

      const ended = await rehearseEach(turn, `redirect:to=${other.origin}/login,status=${status}`, {
        flags: '--debug',
      });

      expect({ ended: inWords(ended), requests, connections: other.connections.length }).toEqual({
        ended: expectedOf(turn, ['exit 1 redirected after 1', ...(status === 303 ? unknown : refused)]),
        requests: [],
        connections: 0,
      });
      expect(errorIn(Object.values(ended)[0]?.stderr ?? '')?.message).toMatch(
        `redirects to ${other.origin} (${status}), and redirects are not followed.`,
      );
    },
  );

  test('is not followed by the token request either', async () => {
    await using other = await httpServer((_, response) => void response.end('{}'));

    const ended = await withClient(
      [`redirect:to=${other.origin}/,operation=token,status=307`],
      'properties list --json',
    );

    expect({ ...ended, connections: other.connections.length }).toEqual({
      exitCode: 1,
      code: 'redirected',
      tokens: 1,
      requests: 0,
      connections: 0,
    });
  });
});

/** Runs a command with client credentials, and counts what went to the token endpoint and what to the service. */
async function withClient(faults: readonly string[], line: string) {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sandbox = await startSandbox({
    folder,
    requireAuth: true,
    now: Date.now,
    faults: faults.map(parseFault),
  });
  onTestFinished(sandbox.close);
  const paths: string[] = [];
  const { exitCode, stdout, stderr } = await cli(line, {
    env: {
      INNCTL_IDENTITY_URL: sandbox.url,
      INNCTL_BASE_URL: sandbox.url,
      INNCTL_TOKEN_URL: `${sandbox.url}/connect/token`,
      INNCTL_CLIENT_ID: sandbox.clientId,
      INNCTL_CLIENT_SECRET: sandbox.clientSecret,
    },
    connect: async (options) => {
      const transport = await connectUndici(options);
      return {
        close: transport.close,
        request: (request) => {
          paths.push(new URL(request.url).pathname);
          return transport.request(request);
        },
      };
    },
  });
  expect(`${stdout}${stderr}`).not.toContain(sandbox.clientSecret);
  const tokens = paths.filter((path) => path === '/connect/token').length;
  const code = exitCode === 0 ? undefined : errorIn(stderr)?.code;
  return { exitCode, code, tokens, requests: paths.length - tokens };
}

describe('a token endpoint that fails', () => {
  test.each([
    ['500', 7, 'service_error'],
    ['503:retry-after=1', 7, 'unavailable'],
    ['429', 7, 'rate_limited'],
    ['401', 4, 'not_logged_in'],
    ['cut', 7, 'cut'],
    ['drop-before', 7, 'reset'],
    ['answer:body=html', 1, 'malformed_answer'],
    ['answer:body=empty', 1, 'malformed_answer'],
    ['answer:body=null', 1, 'malformed_answer'],
    ['answer:body=half', 1, 'malformed_answer'],
    ['answer:body=bad-utf8', 1, 'malformed_answer'],
    ['answer:body=deep', 1, 'malformed_answer'],
    ['answer:body=gzip', 1, 'malformed_answer'],
    ['answer:body=endless', 1, 'too_large'],
  ])('with %s is exit code %i, and the service is asked nothing', async (fault, exitCode, code) => {
    const spec = `${fault}${fault.includes(':') ? ',' : ':'}operation=token`;

    const ended = await withClient([spec], 'properties list --json --max-body 1');

    expect(ended).toMatchObject({ exitCode, code, requests: 0 });
  });

  test('that hangs ends in time', async () => {
    expect(await withClient(['hang:operation=token'], 'properties list --json --timeout 1')).toMatchObject({
      exitCode: 7,
      code: 'timeout',
      requests: 0,
    });
  });
});
