import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hotelsYaml, peopleYaml } from '../helpers/seeding.ts';
import { hotel } from '../sandbox/hotel.ts';
import { type Doubtful, settled, type Trouble } from './settling.ts';
import { cuts, dripping, failure, lasting, resets, type WireCase } from './wire-cases.ts';
import { type Row, rows } from './wire-rows.ts';

const USERS = '/api/v1/identity/users';
const BEN = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';
const shown = ({ shows }: Row) => {
  if (shows === undefined) throw new Error('it is no write');
  return shows;
};
const JONAS = rows.deleteInvitation.values?.['email'] ?? '';

/** Each write by its own command, and by `api`. */
const writes: Readonly<Record<string, Doubtful>> = {
  'properties create': {
    ...rows.createProperty,
    target: 'POST /inventory/v1/properties',
    shows: shown(rows.createProperty),
  },
  'invitations create': {
    ...rows.createInvitation,
    target: 'POST /api/v1/invitations',
    shows: shown(rows.createInvitation),
  },
  'invitations delete': {
    ...rows.deleteInvitation,
    target: `DELETE /api/v1/invitations/${JONAS}`,
    shows: shown(rows.deleteInvitation),
  },
  'users update': { ...rows.updateUser, target: `PATCH ${USERS}/${BEN}`, shows: shown(rows.updateUser) },
  'properties update': {
    ...rows.updateProperty,
    target: 'PATCH /inventory/v1/properties/BER',
    shows: shown(rows.updateProperty),
  },
  'properties delete': {
    ...rows.deleteProperty,
    target: 'DELETE /inventory/v1/properties/MUC',
    shows: shown(rows.deleteProperty),
  },
  'api POST': {
    line: ['api', 'POST', '/inventory/v1/properties', '--input', '-'],
    stdin: JSON.stringify(hotel('HAM')),
    target: 'POST /inventory/v1/properties',
    shows: shown(rows.createProperty),
  },
  'api PATCH': {
    line: ['api', 'PATCH', '/inventory/v1/properties/BER', '--input', '-'],
    stdin: '[{"op":"replace","path":"/companyName","value":"Nord GmbH"}]',
    target: 'PATCH /inventory/v1/properties/BER',
    shows: shown(rows.updateProperty),
  },
  'api DELETE': {
    line: ['api', 'DELETE', '/inventory/v1/properties/MUC', '--confirm', 'MUC'],
    target: 'DELETE /inventory/v1/properties/MUC',
    shows: shown(rows.deleteProperty),
  },
};

const both = hotelsYaml('HAM') + peopleYaml('ana@example.com');

const page: WireCase = {
  name: 'a page of HTML',
  misdeed: (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>'),
};

/** What drips ends with the time of the command, so that nobody looks. */
const faults: readonly (Pick<WireCase, 'name'> & Omit<Trouble, 'commits'>)[] = [
  failure,
  page,
  named('reset at once'),
  named('closed in the body'),
  { name: 'hangs' },
  named('noise'),
  { ...dripping, more: ['--timeout', '2'] },
];
const troubles = faults.flatMap(({ name, ...trouble }): readonly [string, Trouble][] => [
  [`${name}, before it is carried out`, { ...trouble, commits: false }],
  [`${name}, after it was carried out`, { ...trouble, commits: true }],
]);

test.each(troubles.map(([name, trouble], turn) => [name, trouble, turn] as const))(
  'the hint of exit 8 settles a write of each safety, one of api, and the rows of a file: %s',
  async (_, trouble, turn) => {
    const [writes, rows] = await Promise.all([settledWrites(trouble, turn), settledRows(trouble, turn)]);

    expect({ writes: unsettled(writes), rows: unsettled(rows) }).toEqual({ writes: [], rows: [] });
    expect(inDoubt(writes)).toBeGreaterThan(trouble.commits ? 0 : 2);
    expect(inDoubt(rows) > 0 || trouble.commits).toBe(true);
  },
);

test.each<[string, (path: string) => Partial<Doubtful> & Pick<Doubtful, 'line'>]>([
  ['a file of both kinds', (path) => ({ line: ['apply', path, '--yes', '--concurrency', '1'] })],
  ['stdin', () => ({ line: ['apply', '-', '--yes'], stdin: both })],
  ['a saved plan', (path) => ({ line: ['apply', path, '--yes', '--plan', `${path}.json`] })],
  ['a run that is resumed', (path) => ({ line: ['apply', path, '--yes', '--run-id', 'build-7'] })],
])('the hint of exit 8 has all that was typed: %s', async (_, typed) => {
  const folder = await mkdtemp(join(tmpdir(), "innctl's "));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'both.yaml');
  await writeFile(path, both);

  const { codes, taken } = await settled(
    {
      target: 'POST',
      shows: ['/api/v1/invitations', (_status, text) => text.split('"ana@example.com"').length === 2],
      ...typed(path),
    },
    { misdeed: failure.misdeed, commits: false },
    { planTo: `${path}.json` },
  );

  expect({ codes, taken: taken.length }).toEqual({ codes: [8, 8, 0], taken: 2 });
});

type Ended = readonly (readonly [string, Awaited<ReturnType<typeof settled>>])[];

/** Each write by its own command, in turns. */
function settledWrites(trouble: Trouble, turn: number): Promise<Ended> {
  const alike = [
    ['properties create'],
    ['invitations create'],
    ['invitations delete', 'properties delete'],
    ['users update', 'properties update'],
    ['api POST', 'api PATCH', 'api DELETE'],
  ];
  return Promise.all(
    alike.map(async (names) => {
      const name = pick(names, turn);
      return [name, await settled(writes[name] as Doubtful, trouble)] as const;
    }),
  );
}

/** A file of one kind, in turns. */
async function settledRows(trouble: Trouble, turn: number): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files: Readonly<Record<string, readonly [text: string, Omit<Doubtful, 'line'>]>> = {
    properties: [hotelsYaml('HAM', 'KIE'), writeOf('properties create')],
    invitations: [peopleYaml('ana@example.com', 'eva@example.com'), writeOf('invitations create')],
    users: [
      `users:\n  - { subject_id: ${BEN}, properties: [BER, MUC, VIE] }\n`,
      {
        target: `PATCH ${USERS}/${BEN}`,
        shows: [`${USERS}/${BEN}`, (_status, text) => ['BER', 'MUC', 'VIE'].every((id) => text.includes(id))],
      },
    ],
  };
  const name = pick(Object.keys(files), turn);
  const [text, write] = files[name] ?? ['', writeOf('properties create')];
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, text);
  return [[name, await settled({ ...write, line: ['apply', path, '--yes'] }, trouble)]];
}

function pick(names: readonly string[], turn: number): string {
  return names[turn % names.length] ?? '';
}

function writeOf(name: string): Omit<Doubtful, 'line'> {
  const { target, shows } = writes[name] as Doubtful;
  return { target, shows };
}

/** What does not end at 0, and what was created twice. */
function unsettled(ended: Ended) {
  return ended.filter(([, { codes, taken }]) => codes.at(-1) !== 0 || new Set(taken).size < taken.length);
}

/** How many ended with exit 8 first. */
function inDoubt(ended: Ended): number {
  return ended.filter(([, { codes }]) => codes[0] === 8).length;
}

function named(name: string): WireCase {
  const found = [resets, cuts, lasting].flat().find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}
