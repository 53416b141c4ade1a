import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { hotel } from '../sandbox/hotel.ts';

/** How lists answer; a number is the status of a refusal. */
type Mode = 'shown' | 'hidden' | number;

interface Property {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly created: string;
}

/** A service that creates duplicates of a code under other idempotency keys. Ids differ from codes. */
async function service() {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  const replies = new Map<string, string>();
  const world = {
    lists: 'shown' as Mode,
    reads: 'shown' as 'shown' | 'hidden',
    /** Faults of the next creations; creations after these are answered normally. */
    faults: [] as ('drop-before' | 'drop-after' | 'fail-after' | 409)[],
    /** The status that rejects every creation. */
    refuses: 0,
    properties: [] as Property[],
    mails: [] as string[],
    users: [] as { readonly email: string; readonly subject_id: string }[],
    requests: [] as string[],
    keys: [] as string[],
  };
  const create = (code: string, key: string): string => {
    const before = replies.get(key);
    if (before !== undefined) return before;
    const id = `p-${world.requests.length}`;
    world.properties.push({ id, code, name: code, created: new Date().toISOString() });
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
    const list = (items: readonly object[]) => {
      if (typeof world.lists === 'number') return answer(world.lists, {});
      const shown = world.lists === 'shown' ? items : [];
      return answer(200, { count: shown.length, items: shown });
    };
    const { properties, mails } = world;
    if (request.method === 'POST') {
      const body = JSON.parse(await textOf(request));
      if (pathname.endsWith('/invitations')) {
        const fault = world.faults.shift();
        if (fault === 409) return answer(409, { messages: ['is already invited'] });
        mails.push(body.email);
        if (fault === 'drop-after') return response.destroy();
        return answer(200, { email: body.email });
      }
      const key = String(request.headers['idempotency-key']);
      world.keys.push(key);
      if (world.refuses !== 0) return answer(world.refuses, {});
      const fault = world.faults.shift();
      if (fault === 'drop-before') return response.destroy();
      const id = create(body.code, key);
      if (fault === 'drop-after') return response.destroy();
      if (fault === 'fail-after') return answer(500, {});
      return answer(201, { id });
    }
    if (request.method === 'DELETE') {
      world.properties = properties.filter(({ id }) => !pathname.endsWith(`/${id}`));
      world.mails = mails.filter((mail) => !pathname.endsWith(encodeURIComponent(mail)));
      return answer(204);
    }
    if (pathname === '/inventory/v1/properties') return list(properties);
    if (pathname === '/api/v1/invitations') return list(mails.map((email) => ({ email })));
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
  return { world, innctl, create: ['properties', 'create', '--file', hotelFile, '--json'] };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const posts = (requests: readonly string[]) => requests.filter((each) => each.startsWith('POST')).length;
const invite = 'invite create ana@example.com --role Housekeeping --properties BER --json';
/** Keys are honoured where a setting names their header. */
const honoured = { env: { INNCTL_IDEMPOTENCY_HEADER: 'Idempotency-Key' } };
const later = (minutes: number) => ({ now: Date.now() + minutes * 60_000 });

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

  test('succeeds under the same key', async () => {
    const { world, innctl, create } = await service();
    const line = [...create, '--idempotency-key', 'ham-1'];
    const first = await innctl(line);

    expect(first).toMatchObject({ exitCode: 0, json: { id: 'p-1', idempotency_key: 'ham-1' } });
    expect(await innctl(line)).toMatchObject({ exitCode: 0, json: { ...first.json, code: 'HAM' } });
    expect(posts(world.requests)).toBe(1);
    expect(await innctl([...create, '--idempotency-key', 'ham-2'])).toMatchObject({ exitCode: 6 });
  });

  test('finds the property whose code has the same case', async () => {
    const { world, innctl, create } = await service();
    world.properties = ['ham', 'HAM'].map((code) => ({
      id: `p-of-${code}`,
      code,
      name: code,
      created: '2026-01-01',
    }));

    expect((await innctl([...create, '--if-not-exists'])).json).toMatchObject({ id: 'p-of-HAM' });
  });

  test.each([
    ['fails (401)', 401, 0, 4],
    ['fails (429)', 429, 0, 7],
    ['fails (500)', 500, 0, 1],
    ['fails (503)', 503, 0, 7],
    ['is forbidden, after a read has shown the property', 403, 1, 5],
  ])('is not sent when the check for an existing property %s', async (_, lists, earlier, exitCode) => {
    const { world, innctl, create } = await service();
    if (earlier > 0) await innctl(create);
    world.lists = lists;

    expect((await innctl(create)).exitCode).toBe(exitCode);
    expect(posts(world.requests)).toBe(earlier);
  });

  test.each([403, 404, 405, 501])(
    'is sent with a warning when the service does not allow the check (%i), but not with --if-not-exists',
    async (status) => {
      const { world, innctl, create } = await service();
      world.lists = status;

      expect((await innctl([...create, '--if-not-exists'])).error).toMatchObject({ status });
      expect(posts(world.requests)).toBe(0);
      const { exitCode, stderr } = await innctl(create);

      expect([exitCode, world.properties.length]).toEqual([0, 1]);
      expect(stderr).toContain('Could not check whether there is a property with the code "HAM" already. ');
    },
  );

  test.each([
    [422, 'HAM', 0],
    [422, 'BER', 6],
    [403, 'HAM', 5],
  ])(
    'that is rejected with %i, while HAM has the code %s, exits with %i under --if-not-exists',
    async (refuses, code, exitCode) => {
      const { world, innctl, create } = await service();
      Object.assign(world, { lists: 'hidden', refuses });
      world.properties = [{ id: 'HAM', code, name: code, created: new Date().toISOString() }];

      const ended = await innctl([...create, '--if-not-exists']);

      expect(ended.exitCode).toBe(exitCode);
      if (exitCode === 0) expect(ended.json).toMatchObject({ id: 'HAM', created: false });
      expect((await innctl(create)).exitCode).toBe(refuses === 403 ? 5 : 6);
    },
  );
});

describe('a creation without a response', () => {
  test('under a given key is done only when the property shows', async () => {
    const { world, innctl, create } = await service();
    Object.assign(world, { lists: 'hidden', reads: 'hidden', faults: ['fail-after'] });
    const line = [...create, '--max-attempts', '1', '--idempotency-key', 'ham-1'];

    const first = await innctl(line, honoured);
    const second = await innctl(line, honoured);

    expect([first.exitCode, second.exitCode]).toEqual([8, 8]);
    expect(first.error.hint).toMatch(/ --idempotency-key ham-1$/);
    expect(second.error.message).toContain('The service answers that it created HAM, and does not show it');
    world.reads = 'shown';
    expect((await innctl(line, honoured)).exitCode).toBe(0);
    expect([new Set(world.keys).size, world.properties.length]).toEqual([1, 1]);
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

  test.each([
    ['that is not visible yet', [], 0],
    ['that was not answered', ['drop-after'], 8],
  ] as const)('%s exits with 8 and one hint, which sends a second mail', async (_, faults, exitCode) => {
    const { world, innctl } = await service();
    Object.assign(world, { lists: 'hidden', faults: [...faults] });

    const first = await innctl(invite);
    const second = await innctl(invite);

    const hint = 'innctl invitations resend ana@example.com --yes';
    expect(first.exitCode).toBe(exitCode);
    expect(second).toMatchObject({ exitCode: 8, error: { hint } });
    expect(second.error.message).toMatch(
      /^ana@example\.com is not visible yet: .+Z\. Sending it again now may send a second mail\.$/,
    );
    expect(world.mails).toHaveLength(1);
  });

  test('that an identical command left without an answer is its result', async () => {
    const { world, innctl } = await service();
    Object.assign(world, { lists: 'hidden', faults: ['drop-after'] });
    await innctl(invite);
    world.lists = 'shown';

    const ended = [await innctl(invite), await innctl(invite)];

    expect(ended).toMatchObject([
      { exitCode: 0, json: { email: 'ana@example.com', role: 'Housekeeping', invited: true } },
      { exitCode: 6 },
    ]);
    expect(world.mails).toHaveLength(1);
  });

  test('that only the service rejects succeeds with --if-not-exists', async () => {
    const { world, innctl } = await service();
    Object.assign(world, { lists: 'hidden', faults: [409, 409] });

    expect((await innctl(invite)).exitCode).toBe(6);
    const idle = await innctl(`${invite} --if-not-exists`);
    expect(idle).toMatchObject({ exitCode: 0, json: { email: 'ana@example.com', created: false } });
  });

  test.each([
    [1, 1],
    [16, 2],
  ])(
    'whose first one was accepted is rejected after %i minutes: %i users have the address',
    async (minutes, count) => {
      const { world, innctl } = await service();
      await innctl(invite);
      world.mails = [];
      world.users = ['u-1', 'u-2']
        .slice(0, count)
        .map((id) => ({ email: 'ana@example.com', subject_id: id }));

      const second = await innctl(`${invite} --no-check`, later(minutes));

      expect(second).toMatchObject({
        exitCode: 6,
        error: { code: 'already_exists', message: 'ana@example.com already has a user.' },
      });
      expect((await innctl(`${invite} --if-not-exists`)).json).toMatchObject({ created: false });
      expect(world.mails).toEqual([]);
    },
  );
});
