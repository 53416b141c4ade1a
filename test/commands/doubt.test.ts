import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { flagsOf, hamburg } from '../helpers/hamburg.ts';

/** A service that accepts every POST without answering, unless `onPost` has an answer, and lists one property. */
let service: Server;
let env: Readonly<Record<string, string>> = {};
let posts = 0;
let lists = 0;
let onPost: () => object | undefined = () => undefined;
let onList = () => {};

beforeEach(async () => {
  posts = 0;
  lists = 0;
  onPost = () => undefined;
  onList = () => {};
  service = createServer((request, response) => {
    if (request.method === 'POST') {
      posts += 1;
      const answer = onPost();
      if (answer !== undefined) response.end(JSON.stringify(answer));
      return;
    }
    lists += 1;
    onList();
    const items = request.url?.includes('/properties') ? [{ id: 'BER', code: 'BER', name: 'BER' }] : [];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ items }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  // The address of a TCP server is never a string.
  const { port } = service.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  env = { INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: 'token-of-ana-1234567890' };
});

afterEach(async () => {
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

const invite = 'invite create ana@example.com --is-account-admin --yes';
const resend = 'hint: innctl invitations resend ana@example.com --yes\n';
const innctl = (line: string, more: Situation = {}) => cli(line, { env, connect: connectUndici, ...more });

describe('an invitation without a response', () => {
  test('ends within the timeout, is sent once, and its outcome is unknown', async () => {
    const result = await innctl(`${invite} --timeout 1`);

    expect(result).toEqual(
      ended(
        8,
        'error: The outcome of the request to create the invitation is unknown: the time was over before an answer came. ' +
          `Sending it again now may send a second mail.\n${resend}`,
      ),
    );
    expect({ posts, lists }).toEqual({ posts: 1, lists: 1 });
  });

  test('has an unknown outcome if interrupted in flight', async () => {
    const stop = new AbortController();
    onPost = () => void stop.abort(new Interruption('SIGINT'));

    const result = await innctl(invite, { signal: stop.signal });

    expect({ exitCode: result.exitCode, posts }).toEqual({ exitCode: 130, posts: 1 });
    expect(result.stderr).toContain('is unknown: interrupted before an answer came.');
    expect(result.stderr).toContain(`\n${resend}`);
  });

  test('has an unknown outcome if the check of the list is interrupted', async () => {
    const stop = new AbortController();
    onPost = () => void service.closeAllConnections();
    onList = () => {
      if (posts > 0) stop.abort(new Interruption('SIGTERM'));
    };

    const result = await innctl(invite, { signal: stop.signal });

    expect({ exitCode: result.exitCode, posts, lists }).toEqual({ exitCode: 143, posts: 1, lists: 2 });
    expect(result.stderr).toContain(`\n${resend}`);
  });
});

describe('a creation that is interrupted', () => {
  const units = 'units create --property BER --description en=Bed --max-persons 2 --names';

  test.each([
    ['in flight', 0],
    ['while it is looked for', 1],
  ])('%s has an unknown outcome, and the hint is the same command', async (_, looks) => {
    const stop = new AbortController();
    const interrupt = () => void stop.abort(new Interruption('SIGINT'));
    onPost = looks === 0 ? interrupt : () => void service.closeAllConnections();
    onList = () => {
      if (posts > 0) interrupt();
    };
    const line = ['properties', 'create', ...flagsOf(hamburg).flat()];

    const result = await cli(line, { env, connect: connectUndici, signal: stop.signal });

    expect({ exitCode: result.exitCode, posts }).toEqual({ exitCode: 130, posts: 1 });
    expect(result.stderr).toMatch(/ is unknown: .+\nhint: innctl properties create --code HAM /);
  });

  test('between the requests of a range says how many are there', async () => {
    const stop = new AbortController();
    onPost = () => {
      if (posts === 1) return { ids: Array.from({ length: 50 }, (_, place) => String(place)) };
      stop.abort(new Interruption('SIGTERM'));
      return undefined;
    };

    const situation = { env: { ...env, INNCTL_DIALECT: 'apaleo' }, signal: stop.signal };
    const result = await innctl(`${units} 1..60`, situation);

    expect(result).toEqual(
      ended(
        143,
        expect.stringMatching(/ is unknown: .+ 50 of 60 units are created\.\nhint: innctl units create /),
      ),
    );
  });
});

test('a write stopped by the timeout before it was sent exits with 7, not 8', async () => {
  const result = await innctl(`${invite} --timeout 0.000001`);

  expect({ exitCode: result.exitCode, posts }).toEqual({ exitCode: 7, posts: 0 });
});

test.each([
  ['a connection error', 'properties delete MUC --confirm MUC --json', 'connection_refused'],
  ['an unknown outcome', `${invite} --timeout 1 -o ndjson`, 'outcome_unknown'],
])(
  'JSON output at a terminal: %s is one line on stderr, without the destination of the write',
  async (_, line, code) => {
    const connect: Situation['connect'] = async (options) => {
      const transport = await connectUndici(options);
      const refused = (url: string) => (url.includes('MUC') ? 'http://127.0.0.1:9/' : url);
      return {
        ...transport,
        request: (request) => transport.request({ ...request, url: refused(request.url) }),
      };
    };

    const { stderr } = await innctl(line, { answers: [], connect });

    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stderr).error).toMatchObject({ code });
  },
);

test('warnings before a failure are part of its JSON error', async () => {
  onPost = () => void service.closeAllConnections();

  const result = await innctl('invite create ana@example.com --role Auditor --json');

  expect(JSON.parse(result.stderr).error).toMatchObject({
    code: 'outcome_unknown',
    warnings: [
      'Without --is-account-admin, or --role and --properties, this invitation gives access to nothing.',
    ],
  });
});
