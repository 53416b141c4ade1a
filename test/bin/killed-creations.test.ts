import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { wordsOf } from '../helpers/shell-words.ts';
import { hotel } from '../sandbox/hotel.ts';
import { binary, openHome } from './home.ts';

/** When the process is killed: at the first request of that kind, before or after the service executes it. */
type Moment = 'looks' | 'sends' | 'sent' | 'reads';

/** A service that creates a record for each request with a new key, and kills its client once. */
async function openService(moment: Moment | undefined, hidesCodes = false) {
  const created: string[] = [];
  const replies = new Map<string, string>();
  const state: { victim: ChildProcess | undefined } = { victim: undefined };
  const isHit = (now: Moment) => {
    const isNow = now === moment && state.victim !== undefined;
    if (isNow) state.victim?.kill('SIGKILL');
    if (isNow) state.victim = undefined;
    return isNow;
  };
  const take = async (request: IncomingMessage): Promise<object> => {
    // innctl sends bodies of this shape.
    const { code, email } = (await json(request)) as Record<string, string>;
    const name = code ?? email ?? '';
    const key = String(request.headers['idempotency-key'] ?? created.length);
    if (!replies.has(key)) created.push(name);
    replies.set(key, name);
    return code === undefined ? { email } : { id: code };
  };
  const shown = (name: string) => (hidesCodes ? { id: name } : { id: name, code: name, email: name });
  const server = await httpServer(async (request, response) => {
    const isList = /\/(properties|invitations)(\?|$)/.test(request.url ?? '');
    if (request.method === 'POST') {
      if (isHit('sends')) return;
      const answer = await take(request);
      if (!isHit('sent')) response.end(JSON.stringify(answer));
      return;
    }
    if (isHit(isList ? 'looks' : 'reads')) return;
    const items = created.map(shown);
    response.end(JSON.stringify(isList ? { count: items.length, items } : items[0]));
  });
  const { origin } = server;
  const env = {
    INNCTL_IDENTITY_URL: origin,
    INNCTL_BASE_URL: origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  return { created, env, state, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const property = 'properties create --file ham.json --json';
const invitation = 'invitations create ana@example.com --role Housekeeping --properties BER --json';

describe('a creation that is killed and repeated exists once', () => {
  test.each<[Moment, string, readonly number[], boolean?]>([
    ['looks', property, [0]],
    ['sends', property, [0]],
    ['sent', property, [6]],
    ['sent', property, [0], true],
    ['reads', property, [6]],
    ['reads', property, [0], true],
    ['looks', invitation, [0]],
    ['sends', invitation, [8, 0]],
    ['sent', invitation, [6]],
  ])('killed when it %s: %s, then exits with %j', async (moment, line, expected, hidesCodes) => {
    await using home = await openHome();
    await using service = await openService(moment, hidesCodes);
    await writeFile(join(home.folder, 'ham.json'), JSON.stringify(hotel('HAM')));
    const type = async (words: readonly string[]) =>
      home.run([process.execPath, binary, ...words], {
        env: service.env,
        cwd: home.folder,
        started: (child) => {
          service.state.victim ??= codes.length === 0 ? child : undefined;
        },
      });
    const codes: (number | null)[] = [];
    codes.push((await type(line.split(' '))).exitCode);

    let ended = await type(line.split(' '));
    codes.push(ended.exitCode);
    if (ended.exitCode === 8) {
      ended = await type(wordsOf(JSON.parse(ended.stderr).error.hint));
      codes.push(ended.exitCode);
    }

    expect(codes).toEqual([null, ...expected]);
    expect(service.created).toHaveLength(1);
  });
});

test.each([property, invitation])('is sent with a warning if it cannot be recorded: %s', async (line) => {
  await using home = await openHome();
  await using service = await openService(undefined);
  await writeFile(join(home.folder, 'ham.json'), JSON.stringify(hotel('HAM')));
  // No folder can be created in the place of a file, not even by root.
  await writeFile(join(home.folder, 'config'), '');
  const env = { ...service.env, INNCTL_CONFIG_DIR: join(home.folder, 'config') };

  const ended = await home.run([process.execPath, binary, ...line.split(' ')], { env, cwd: home.folder });

  expect(ended).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Could not record this creation'),
  });
  expect(service.created).toHaveLength(1);
});
