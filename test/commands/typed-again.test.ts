import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { hotel } from '../sandbox/hotel.ts';

type Mode = 'shown' | 'bare' | 'hidden' | 'forbidden' | 'down';

interface Property {
  readonly id: string;
  readonly code: string;
  readonly created: string;
}

/** A service that creates duplicates of a code, unless it honours idempotency keys. Ids differ from codes. */
async function service({ honoursKeys = true } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const replies = new Map<string, number | string>();
  const world = {
    lists: 'shown' as Mode,
    reads: 'shown' as 'shown' | 'hidden',
    /** Faults of the next creations; creations after these are answered normally. */
    faults: [] as ('drop-before' | 'drop-after' | 'fail-after' | 409 | 500)[],
    /** The status that rejects every creation. */
    refuses: 0,
    /** How far its clock is behind. */
    behindMs: 0,
    properties: [] as Property[],
    mails: [] as string[],
    users: [] as { readonly email: string; readonly subject_id: string }[],
    requests: [] as string[],
    keys: [] as string[],
  };
  const create = (code: string, key: string): number | string => {
    const before = honoursKeys ? replies.get(key) : undefined;
    if (before !== undefined) return before;
    const id = `p-${world.requests.length}`;
    world.properties.push({ id, code, created: new Date(Date.now() - world.behindMs).toISOString() });
    replies.set(key, id);
    return id;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x');
    world.requests.push(`${request.method} ${pathname}`);
    const answer = (status: number, body?: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? undefined : JSON.stringify(body));
    const list = (items: readonly object[], bare: readonly object[]) => {
      if (world.lists === 'forbidden') return answer(403, {});
      if (world.lists === 'down') return answer(503, {});
      const shown = world.lists === 'shown' ? items : world.lists === 'bare' ? bare : [];
      return answer(200, { count: shown.length, items: shown });
    };
    const { properties, mails } = world;
    if (request.method === 'POST') {
      const body = JSON.parse(await textOf(request));
      if (pathname.endsWith('/invitations')) {
        if (world.faults.shift() === 409) return answer(409, { messages: ['is already invited'] });
        mails.push(body.email);
        return answer(200, { email: body.email });
      }
      const key = String(request.headers['idempotency-key']);
      world.keys.push(key);
      if (world.refuses !== 0) return answer(world.refuses, {});
      const fault = world.faults.shift();
      if (fault === 'drop-before') return response.destroy();
      if (fault === 500) replies.set(key, 500);
      const id = create(body.code, key);
      if (fault === 'drop-after') return response.destroy();
      if (fault === 'fail-after') return answer(500, {});
      return typeof id === 'number' ? answer(id, {}) : answer(201, { id });
    }
    if (request.method === 'DELETE') {
      world.properties = properties.filter(({ id }) => !pathname.endsWith(`/${id}`));
      world.mails = mails.filter((mail) => !pathname.endsWith(encodeURIComponent(mail)));
      return answer(204);
    }
    if (pathname === '/inventory/v1/properties')
      return list(
        properties,
        properties.map(({ id }) => ({ id })),
      );
    if (pathname === '/api/v1/invitations')
      return list(
        mails.map((email) => ({ email })),
        [],
      );
    if (pathname === '/api/v1/users') return answer(200, { items: world.users });
    const found = properties.find(({ id }) => pathname.endsWith(`/${id}`));
    return found === undefined || world.reads === 'hidden' ? answer(404, {}) : answer(200, found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  // The address of a server on a TCP port is an object.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: 'token-of-ana-1234567890' };
  let uuids = 0;
  const innctl = async (words: string | readonly string[], situation: Situation = {}) => {
    uuids += 1;
    const uuid = `0000000${uuids}-2222-4333-8444-555555555555`;
    const surroundings = { env: { ...env, ...situation.env }, folder, uuid, connect: connectUndici };
    const ended = await cli(words, { ...situation, ...surroundings });
    const json = ended.stdout.startsWith('{') ? JSON.parse(ended.stdout) : undefined;
    const { error } = ended.stderr.includes('{"error"')
      ? JSON.parse(ended.stderr.slice(ended.stderr.indexOf('{"error"')))
      : { error: undefined };
    return { ...ended, json, error };
  };
  const hotelFile = join(folder, 'ham.json');
  await writeFile(hotelFile, JSON.stringify(hotel('HAM')));
  const memory = join(folder, 'state', 'recent-creations.json');
  return { world, innctl, folder, memory, create: ['properties', 'create', '--file', hotelFile, '--json'] };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const posts = (requests: readonly string[]) => requests.filter((each) => each.startsWith('POST')).length;
const invite = 'invite create ana@example.com --role Housekeeping --properties BER --json';

describe('a repeated creation of a property', () => {
  test('is rejected after one read, and the error names the existing property', async () => {
    const { world, innctl, create } = await service();
    const first = await innctl(create);
    world.requests.length = 0;

    const second = await innctl([...create, '--code', 'ham']);

    const [{ created } = { created: '' }] = world.properties;
    expect(first).toMatchObject({ exitCode: 0, json: { id: 'p-2', created: true } });
    expect(second).toMatchObject({
      exitCode: 6,
      stdout: '',
      error: {
        code: 'already_exists',
        message: `There is a property with the code "HAM" already: p-2, created ${created}.`,
        details: [
          { field: 'id', reason: 'p-2' },
          { field: 'code', reason: 'HAM' },
          { field: 'created', reason: created },
        ],
      },
    });
    expect(world.requests).toEqual(['GET /inventory/v1/properties']);
    expect((await innctl([...create, '--if-not-exists'])).json).toMatchObject({ id: 'p-2', created: false });
    expect((await innctl([...create, '--dry-run'])).exitCode).toBe(6);
    expect(world.properties).toHaveLength(1);
  });

  test('with --no-check reuses the idempotency key', async () => {
    const { world, innctl, create } = await service();
    await innctl(create);
    world.requests.length = 0;

    const second = await innctl([...create, '--no-check']);

    expect(second).toMatchObject({ exitCode: 0, json: { id: 'p-2' } });
    expect(world.requests).toEqual(['POST /inventory/v1/properties', 'GET /inventory/v1/properties/p-2']);
    expect(world.properties).toHaveLength(1);
  });

  test.each<Mode>(['bare', 'forbidden', 'hidden'])(
    'creates one property where lists are %s',
    async (lists) => {
      const { world, innctl, create } = await service();
      world.lists = lists;

      const ended = [await innctl(create), await innctl(create)];

      expect(ended.map(({ exitCode, json }) => [exitCode, json.id])).toEqual([
        [0, 'p-2'],
        [0, 'p-2'],
      ]);
      expect(ended.every(({ stderr }) => stderr.includes('403') === (lists === 'forbidden'))).toBe(true);
      expect(new Set(world.keys).size).toBe(1);
      expect(world.properties).toHaveLength(1);
    },
  );

  test('finds the property whose code has the same case', async () => {
    const { world, innctl, create } = await service();
    world.properties = ['ham', 'HAM'].map((code) => ({ id: `p-of-${code}`, code, created: '2026-01-01' }));

    expect((await innctl([...create, '--if-not-exists'])).json).toMatchObject({ id: 'p-of-HAM' });
  });

  test('is not sent when the check for an existing property fails', async () => {
    const { world, innctl, create } = await service();
    world.lists = 'down';

    expect((await innctl(create)).exitCode).toBe(7);
    expect(posts(world.requests)).toBe(0);
  });

  test.each([
    [422, 'HAM', 0],
    [422, 'BER', 6],
    [403, 'HAM', 5],
  ])(
    'that is rejected with %i, while HAM has the code %s, exits with %i under --if-not-exists',
    async (refuses, code, exitCode) => {
      const { world, innctl, create } = await service();
      Object.assign(world, { lists: 'bare', refuses });
      world.properties = [{ id: 'HAM', code, created: new Date().toISOString() }];

      const ended = await innctl([...create, '--if-not-exists']);

      expect(ended.exitCode).toBe(exitCode);
      if (exitCode === 0) expect(ended.json).toMatchObject({ id: 'HAM', created: false });
      expect((await innctl(create)).exitCode).toBe(refuses === 403 ? 5 : 6);
    },
  );

  test('by two concurrent commands creates one property', async () => {
    const { world, innctl, create } = await service();
    world.lists = 'hidden';

    const ended = await Promise.all([innctl(create), innctl(create)]);

    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(world.properties).toHaveLength(1);
  });

  test('has a new key with another body, and after ten minutes', async () => {
    const { world, innctl, create } = await service();
    world.lists = 'hidden';

    await innctl(create);
    await innctl([...create, '--city', 'Altona']);
    await innctl(create, { now: Date.now() + 601_000 });

    expect(new Set(world.keys).size).toBe(3);
  });

  test('keeps its key while each repetition is within ten minutes of the last', async () => {
    const { world, innctl, create } = await service();
    world.lists = 'hidden';

    for (const minutes of [0, 9, 18, 27]) await innctl(create, { now: Date.now() + minutes * 60_000 });

    expect(new Set(world.keys).size).toBe(1);
  });
});

describe('a repeated creation of a property that is missing', () => {
  test('is sent when this program deleted the property', async () => {
    const { world, innctl, create } = await service();
    await innctl(create);
    await innctl('properties delete p-2 --confirm p-2');

    const again = await innctl(create);

    expect(again).toMatchObject({ exitCode: 0, json: { created: true } });
    expect(again.stderr).toBe('');
    expect(world.properties).toHaveLength(1);
  });

  test('is sent under a new, reported key when another client deleted a property that was visible', async () => {
    const { world, innctl, create } = await service();
    await innctl(create);
    world.properties = [];

    const again = await innctl(create);

    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('Property p-2, created earlier by the same command, is gone');
    expect(again.json['idempotency_key']).toBe(world.keys.at(-1));
    expect(new Set(world.keys).size).toBe(2);
    expect(world.properties).toHaveLength(1);
  });

  test('exits with 8 when the property was never visible, and creates no second one', async () => {
    const { world, innctl, create } = await service();
    Object.assign(world, { lists: 'hidden', reads: 'hidden' });

    const first = await innctl(create);
    const second = await innctl(create);

    expect(first).toMatchObject({ exitCode: 0, json: { verification: 'not_yet_visible' } });
    expect(second).toMatchObject({ exitCode: 8, error: { code: 'outcome_unknown' } });
    expect(second.error.hint).toContain(`--idempotency-key ${world.keys[0]}`);
    expect(second.error.message).toMatch(/Its key protects it until \d{4}-/);
    expect(world.properties).toHaveLength(1);
  });

  test('settles an unknown outcome although the property is not visible yet', async () => {
    const { world, innctl, create } = await service();
    Object.assign(world, { lists: 'hidden', reads: 'hidden', faults: ['drop-after'] });

    const first = await innctl([...create, '--max-attempts', '1']);

    expect(first.exitCode).toBe(8);
    const settled = await innctl([...create, '--idempotency-key', world.keys[0] ?? '']);
    expect(settled).toMatchObject({ exitCode: 0, json: { verification: 'not_yet_visible' } });
    expect(world.properties).toHaveLength(1);
  });
});

describe('a creation without a response', () => {
  test.each(['drop-before', 'drop-after'] as const)(
    '(%s) is checked before the retry, also where idempotency keys are ignored',
    async (fault) => {
      const { world, innctl, create } = await service({ honoursKeys: false });
      world.faults = [fault];

      const { exitCode, json } = await innctl(create);

      expect({ exitCode, id: json.id }).toEqual({ exitCode: 0, id: world.properties[0]?.id });
      expect({ there: world.properties.length, posts: posts(world.requests) }).toEqual({
        there: 1,
        posts: fault === 'drop-after' ? 1 : 2,
      });
    },
  );

  test.each([
    ['the idempotency header is not configured', {}, 8, 1],
    ['it is configured', { INNCTL_IDEMPOTENCY_HEADER: 'Idempotency-Key' }, 0, 2],
  ] as const)('where no list shows codes and %s', async (_, env, exitCode, sent) => {
    const { world, innctl, create } = await service();
    Object.assign(world, { lists: 'bare', faults: ['drop-after'] });

    const ended = await innctl(create, { env });

    expect({ exitCode: ended.exitCode, posts: posts(world.requests) }).toEqual({ exitCode, posts: sent });
    expect(world.properties).toHaveLength(1);
  });

  test('is checked after the last attempt, also with one attempt', async () => {
    const { world, innctl, create } = await service();
    world.faults = ['drop-after'];

    expect((await innctl([...create, '--max-attempts', '1'])).exitCode).toBe(0);
    expect(posts(world.requests)).toBe(1);
  });

  test.each([
    ['with an earlier check', [], 3_600_000, 0],
    ['without one, and with a clock slightly behind', ['--no-check'], 60_000, 0],
    ['without one, and with a clock far behind', ['--no-check'], 3_600_000, 8],
  ] as const)('is matched to the existing property %s', async (_, flags, behindMs, exitCode) => {
    const { world, innctl, create } = await service();
    Object.assign(world, { behindMs, faults: ['drop-after'] });

    expect((await innctl([...create, ...flags, '--max-attempts', '1'])).exitCode).toBe(exitCode);
    expect(world.properties).toHaveLength(1);
  });

  test('is checked by the hinted command before the key is sent again', async () => {
    const { world, innctl, create } = await service({ honoursKeys: false });
    Object.assign(world, { lists: 'bare', faults: ['drop-after'] });

    const first = await innctl(create);
    world.lists = 'shown';
    const second = await innctl([...create, '--idempotency-key', world.keys[0] ?? '']);

    expect([first.exitCode, second.exitCode]).toEqual([8, 0]);
    expect({ there: world.properties.length, posts: posts(world.requests) }).toEqual({ there: 1, posts: 1 });
  });

  test('with --idempotency-key keeps the key after a failure: the property may exist and not be visible yet', async () => {
    const { world, innctl, create } = await service();
    Object.assign(world, { lists: 'hidden', reads: 'hidden', faults: ['fail-after'] });
    const line = [...create, '--max-attempts', '1', '--idempotency-key'];

    const first = await innctl([...line, 'ham-1']);

    expect(first.exitCode).toBe(8);
    expect(first.error.hint).toMatch(/ --idempotency-key ham-1$/);
    world.reads = 'shown';
    expect((await innctl([...line, 'ham-1'])).exitCode).toBe(0);
    expect(world.properties).toHaveLength(1);
  });

  test('whose error response is replayed keeps its key where no list shows codes', async () => {
    const { world, innctl, create } = await service();
    Object.assign(world, { lists: 'bare', faults: [500] });
    world.properties = [{ id: 'p-0', code: 'BER', created: new Date().toISOString() }];
    const line = [...create, '--max-attempts', '1'];

    const hints = [(await innctl(line)).error.hint, (await innctl(line)).error.hint];

    expect(hints.every((hint) => hint.includes(`--idempotency-key ${world.keys[0]}`))).toBe(true);
  });

  test('whose error response is replayed gets a new key in the second hint', async () => {
    const { world, innctl, create } = await service();
    world.faults = [500];

    const first = await innctl([...create, '--max-attempts', '1']);
    world.properties = [];
    const key = (hint: string) => / --idempotency-key (\S+)/.exec(hint)?.[1] ?? '';
    const second = await innctl([
      ...create,
      '--max-attempts',
      '1',
      '--idempotency-key',
      key(first.error.hint),
    ]);

    expect([first.exitCode, second.exitCode]).toEqual([8, 8]);
    expect(second.error.message).toContain('the command that settles it uses a new key');
    expect(key(second.error.hint)).not.toBe(world.keys[0]);
    const third = await innctl([...create, '--idempotency-key', key(second.error.hint)]);
    expect(third).toMatchObject({ exitCode: 0, json: { created: true } });
    expect(world.properties).toHaveLength(1);
  });
});

describe('the record of recent creations', () => {
  test('has mode 600 and contains no names', async () => {
    const { innctl, memory } = await service();
    await innctl(invite);

    expect(((await stat(memory)).mode & 0o777).toString(8)).toBe('600');
    expect(await readFile(memory, 'utf8')).not.toContain('ana');
  });

  const far = { target: 'a', about: 'b', name: 'c', since: 1e300, at: 1e300, key: 'k', isAnswered: true };

  test.each([
    '',
    '{',
    '{"version":2,"creations":[]}',
    '[]',
    JSON.stringify({ version: 1, creations: [far] }),
  ])('blocks creations for ten minutes when it is corrupt: %j', async (text) => {
    const { world, innctl, create, memory } = await service();
    await innctl(create);
    await writeFile(memory, text);
    world.requests.length = 0;

    const other = [...create, '--code', 'KIE'];

    expect(await innctl(other)).toMatchObject({
      exitCode: 2,
      error: { code: 'corrupt_memory', hint: `rm ${memory}` },
    });
    expect(posts(world.requests)).toBe(0);
    expect((await innctl(other, { now: Date.now() + 601_000 })).exitCode).toBe(0);
  });
});

describe('a repeated invitation', () => {
  test('is rejected, whatever the case of the address', async () => {
    const { world, innctl } = await service();
    await innctl(invite);

    const second = await innctl(invite.replace('ana', 'ANA'));

    expect(second).toMatchObject({ exitCode: 6, error: { code: 'already_exists' } });
    const idle = await innctl(`${invite} --if-not-exists`);
    expect(idle.json).toMatchObject({ email: 'ana@example.com', invited: false, created: false });
    expect(world.mails).toEqual(['ana@example.com']);
  });

  test('that is not visible yet exits with 8, and only --resend-unknown sends a second mail', async () => {
    const { world, innctl } = await service();
    world.lists = 'hidden';
    await innctl(invite);

    const second = await innctl(invite);

    expect(second).toMatchObject({ exitCode: 8, error: { hint: `innctl ${invite} --if-not-exists` } });
    const settled = await innctl(second.error.hint.replace('innctl ', ''));
    expect(settled).toMatchObject({ exitCode: 0, json: { email: 'ana@example.com', created: false } });
    expect(world.mails).toHaveLength(1);
    expect((await innctl(`${invite} --resend-unknown`)).exitCode).toBe(0);
    expect(world.mails).toHaveLength(2);
  });

  test('that only the service rejects succeeds with --if-not-exists', async () => {
    const { world, innctl } = await service();
    Object.assign(world, { lists: 'hidden', faults: [409, 409] });

    expect((await innctl(invite)).exitCode).toBe(6);
    const idle = await innctl(`${invite} --if-not-exists`);
    expect(idle).toMatchObject({ exitCode: 0, json: { email: 'ana@example.com', created: false } });
  });

  test.each([1, 2])('whose first one was accepted is rejected: %i users have the address', async (count) => {
    const { world, innctl } = await service();
    await innctl(invite);
    world.mails = [];
    world.users = ['u-1', 'u-2'].slice(0, count).map((id) => ({ email: 'ana@example.com', subject_id: id }));

    const second = await innctl(invite);

    expect(second).toMatchObject({
      exitCode: 6,
      error: { code: 'already_exists', message: 'ana@example.com already has a user.' },
    });
    expect((await innctl(`${invite} --if-not-exists`)).json).toMatchObject({ created: false });
    expect(world.mails).toEqual([]);
  });

  test('is sent when the first one was deleted', async () => {
    const { world, innctl } = await service();
    await innctl(invite);
    await innctl('invitations delete ana@example.com --yes');

    expect((await innctl(invite)).exitCode).toBe(0);
    expect(world.mails).toEqual(['ana@example.com']);
  });

  test('by two concurrent commands sends one mail', async () => {
    const { world, innctl } = await service();

    const ended = await Promise.all([innctl(invite), innctl(invite)]);

    expect(ended.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 6]);
    expect(world.mails).toHaveLength(1);
  });
});
