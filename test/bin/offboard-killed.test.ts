import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { verifyEvidence } from '../../src/people/evidence.ts';
import { documentsOf } from '../helpers/evidence.ts';
import type { Moment } from '../soak/gateway.ts';
import { openKilling } from './killing.ts';
import { setup } from './setup.ts';

/** Ben is invited as well, Jonas is only invited, Karl is disabled already. */
const leavers = [
  'ben',
  'clara',
  'david',
  'emma',
  'hanna',
  'jonas.keller',
  'julia',
  'karl',
  'lukas',
  'html',
].map((name) => `${name}@aurora.example`);
/** Eight users are disabled, and two invitations withdrawn. */
const WRITES = 10;

beforeAll(setup);

/** The list of leavers in a home, and a service that knows every write that reached it. */
async function openCase() {
  const place = await openKilling();
  const carried: string[] = [];
  place.service.gateway.intercept(({ method, url }) => {
    if (method !== 'GET') carried.push(`${method} ${url?.toLowerCase()}`);
    return undefined;
  });
  await writeFile(join(place.folder, 'leavers.csv'), ['email', ...leavers, ''].join('\n'));
  return { ...place, carried, evidence: join(place.folder, 'evidence') };
}

const offboard =
  'people offboard --file leavers.csv --yes --max-deletes 20 --evidence evidence --reason left --json';

/** Who of the leavers still has access. */
async function left({ service }: Awaited<ReturnType<typeof openCase>>): Promise<readonly string[]> {
  const { users, invitations } = (await service.held()).records;
  const isLeaver = (email: string) => leavers.includes(email.toLowerCase());
  return [
    ...[...users.values()]
      .filter(({ email, enabled }) => isLeaver(email) && enabled)
      .map(({ email }) => email),
    ...[...invitations.keys()].filter(isLeaver),
  ];
}

/** How often the evidence has each write that was answered. */
async function documented(folder: string) {
  const documents: readonly { requests: readonly { method: string; path: string }[] }[] =
    await documentsOf(folder);
  return documents.flatMap(({ requests }) =>
    requests.map(({ method, path }) => `${method} ${path.toLowerCase()}`),
  );
}

const each = Array.from({ length: WRITES }, (_, index) => index + 1);
const strikes: readonly { readonly moment: Moment; readonly write: number }[] = [
  ...each.map((write) => ({ moment: 'after the commit' as const, write })),
  ...[1, 2, WRITES].map((write) => ({ moment: 'before the commit' as const, write })),
  ...[1, 2, WRITES].map((write) => ({ moment: 'after the answer' as const, write })),
];

test.each(strikes)(
  'offboarding ten people, killed $moment of write $write and repeated, has no second effect and an intact chain',
  { timeout: 60_000 },
  async ({ moment, write }) => {
    await using place = await openCase();
    const { carried, evidence } = place;
    const killed = await place.killed(offboard, { moment, write });
    const begun = existsSync(evidence) ? verifyEvidence(evidence) : undefined;

    const ended = await place.run(offboard);

    expect({ killed: killed.exitCode, ended: ended.exitCode, stderr: ended.stderr }).toMatchObject({
      killed: null,
      ended: 0,
    });
    expect({ count: carried.length, distinct: new Set(carried).size }).toEqual({
      count: WRITES,
      distinct: WRITES,
    });
    expect(await left(place)).toEqual([]);
    expect(begun?.open.size).not.toBe(0);
    expect(verifyEvidence(evidence).open.size).toBe(0);
    const people = (await documentsOf(evidence)).map(({ person }) => person.email.toLowerCase());
    expect(new Set(people)).toEqual(new Set(leavers));
    const known = await documented(evidence);
    expect(carried).toEqual(expect.arrayContaining(known));
    expect(known).toHaveLength(new Set(known).size);
  },
);
