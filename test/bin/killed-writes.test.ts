import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { hotelWithUnits } from '../helpers/inventory.ts';
import { settlingLine, wordsOf } from '../helpers/shell-words.ts';
import type { Held } from '../soak/service.ts';
import { openKilling } from './killing.ts';
import { setup } from './setup.ts';

beforeAll(setup);

type Place = Awaited<ReturnType<typeof openKilling>>;

interface Command {
  readonly line: string;
  /** What comes before it: files, and runs that are not killed. */
  readonly prepare?: (place: Place) => Promise<unknown>;
  /** How many requests it sends. */
  readonly writes: number;
  /** What the service holds afterwards, in any order. */
  readonly wants: (before: readonly string[]) => readonly string[];
  /** How it ends when it is not killed. Default: 0. */
  readonly done?: 9;
  /** How it may end when it was killed and is typed until it ends in 0. Default: in 0 at once. */
  readonly ends?: readonly string[];
  /** How it ends when it is typed once more, without a write. `undefined`: it writes again. */
  readonly again: 0 | 6 | undefined;
}

const at = (...names: readonly string[]) => names.map((name) => `${name}@aurora.example`);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => from + place);
const joiners = range(1, 5).map((number) => `joiner${number}@example.com`);
const leavers = at('clara', 'david', 'emma', 'hanna');
/** His invitation. */
const JONAS = 'invitation jonas.keller@aurora.example: Housekeeping at BER';
const invited = at('jonas.keller', 'lea.wagner', 'paul.steiner');

const adds =
  (...lines: readonly string[]): Command['wants'] =>
  (before) => [...before, ...lines];
const takes =
  (...lines: readonly string[]): Command['wants'] =>
  (before) =>
    before.filter((line) => !lines.includes(line));

const table =
  (name: string, ...rows: readonly string[]) =>
  ({ folder }: Place) =>
    writeFile(join(folder, name), `${rows.join('\n')}\n`);

const decisions: readonly (readonly [row: RegExp, decision: string])[] = [
  [/,ben@aurora.example,.*,BER,/, 'disable'],
  [/,clara@aurora.example,.*,MUC,/, 'revoke'],
  [/,hanna@aurora.example,.*,BER,/, 'revoke'],
  [/,jonas.keller@aurora.example,/, 'withdraw'],
];

/** Writes a review of the account of now. */
async function review({ folder, run }: Place): Promise<void> {
  const { stdout } = await run('access report --for-review -o csv');
  const rows = stdout.split('\n').map((row) => {
    const [, decision = ''] = decisions.find(([pattern]) => pattern.test(row)) ?? [];
    return row.replace(/,,,$/, `,${decision},,`);
  });
  await writeFile(join(folder, 'review.csv'), rows.join('\n'));
}

/** A table of staff in which Ben moved, Mia joins, Lea has another job, and Clara and Jonas are missing. */
async function staff(place: Place): Promise<void> {
  const { users, invitations } = (await place.service.held()).records;
  const others = [...users.values(), ...invitations.values()].map(({ email }) => email);
  const changed = at('ben', 'clara', 'jonas.keller', 'lea.wagner');
  const except = [...new Set(others)].filter((email) => !changed.includes(email.toLowerCase()));
  const rules = { version: 1, domains: ['aurora.example'], email: 'email', property: 'hotel', except };
  const jobs = [{ when: { hotel: '*' }, role: 'Auditor' }];
  await table('jobs.yaml', JSON.stringify({ ...rules, jobs }))(place);
  const [ben, mia, lea] = at('ben', 'mia', 'lea.wagner');
  await table('hr.csv', 'email,hotel', `${ben},"MUC,VIE"`, `${mia},VIE`, `${lea},VIE`)(place);
}

/** Creates and changes what an undo then turns round. */
async function attic({ folder, run }: Place): Promise<void> {
  const texts = { name: { en: 'Attic' }, description: { en: 'Below the roof' } };
  const manifest = {
    unit_attributes: [{ name: 'SEA' }],
    unit_groups: [{ property: 'MUC', code: 'ATT', max_persons: 2, ...texts }],
    units: [{ property: 'MUC', names: ['901..903'], group: 'ATT', attributes: ['SEA'] }],
    users: [{ email: 'ben@aurora.example', properties: ['BER'] }],
    invitations: [{ email: 'mia@aurora.example', role: 'Housekeeping', properties: ['BER'] }],
  };
  await writeFile(join(folder, 'attic.json'), JSON.stringify(manifest));
  await run('apply attic.json --yes --run-id attic');
}

/** Creates a hotel with two rooms and a suite, of which the file then contains the hotel alone. */
async function furnish({ folder, run }: Place): Promise<void> {
  const path = join(folder, 'hotel.yaml');
  const text = hotelWithUnits('LEJ', 2);
  await writeFile(path, text);
  await run('apply hotel.yaml --yes');
  await writeFile(path, text.replace(/ {4}unit_groups:[\s\S]*/, ''));
}

const commands: readonly Command[] = [
  {
    line: 'units create --property BER --group DBL --names 1001..1200 --description en=Bed --max-persons 2',
    writes: 4,
    wants: adds(...range(1001, 1200).map((name) => `unit ${name} of BER-DBL`)),
    again: 6,
  },
  {
    line: 'unit-groups create --property BER --code TRP --name en=Triple --description en=Beds --max-persons 3',
    writes: 1,
    wants: adds('unit group TRP of BER'),
    again: 6,
  },
  {
    line: `users grant ${at('clara', 'ben', 'hanna').join(' ')} --property PAR --yes`,
    writes: 3,
    wants: adds(...at('clara', 'ben', 'hanna').map((email) => `user ${email} at PAR`)),
    // They have no roles there.
    done: 9,
    ends: ['0', '9, 0'],
    again: 0,
  },
  {
    line: 'people offboard --file leavers.csv --yes --max-deletes 5',
    prepare: table('leavers.csv', 'email', ...leavers, 'jonas.keller@aurora.example'),
    writes: 5,
    wants: takes(...leavers.map((email) => `enabled ${email}`), JONAS),
    again: 0,
  },
  {
    line: 'people onboard --file joiners.csv --yes',
    prepare: table(
      'joiners.csv',
      'email,role,properties',
      ...joiners.map((email) => `${email},Housekeeping,BER`),
    ),
    writes: 5,
    wants: adds(
      ...joiners.flatMap((email) => [`invitation ${email}: Housekeeping at BER`, `mail to ${email}`]),
    ),
    again: 0,
    // Whether a mail was sent is unknown: the hint is to send it again.
    ends: ['0', '8 resend, 0'],
  },
  {
    line: 'people sync hr.csv --jobs jobs.yaml --yes',
    prepare: staff,
    writes: 7,
    wants: (before) => [
      ...takes(
        'user ben@aurora.example at BER',
        'enabled clara@aurora.example',
        JONAS,
      )(before).filter((line) => !/^invitation (?:lea|ben@)/i.test(line)),
      'user ben@aurora.example at VIE',
      ...at('mia', 'lea.wagner').flatMap((email) => [
        `invitation ${email}: Auditor at VIE`,
        `mail to ${email}`,
      ]),
    ],
    again: 0,
    ends: ['0', '8 resend, 0', '8, 0'],
  },
  {
    line: 'invitations create joiner1@example.com --role Housekeeping --properties BER',
    writes: 1,
    wants: adds('invitation joiner1@example.com: Housekeeping at BER', 'mail to joiner1@example.com'),
    again: 6,
    ends: ['0', '8 resend, 0'],
  },
  {
    line: 'access apply review.csv --yes --max-deletes 2',
    prepare: review,
    writes: 4,
    wants: takes(
      ...['enabled ben@aurora.example', 'user clara@aurora.example at MUC'],
      ...['user hanna@aurora.example at BER', JONAS],
    ),
    again: 0,
  },
  {
    line: `invitations resend ${invited.join(' ')} --yes`,
    writes: 6,
    wants: adds(...invited.map((email) => `mail to ${email}`)),
    again: undefined,
    ends: ['0', '8, 0'],
  },
  {
    line: 'properties clone BER --code LEJ --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
    writes: 1,
    wants: (before) => [
      ...before,
      ...before
        .filter((line) => /^(property|unit) .*BER/.test(line))
        .map((line) => line.replace('BER', 'LEJ')),
    ],
    again: 6,
  },
  {
    line: 'properties archive MUC --confirm MUC',
    writes: 1,
    wants: adds('archived MUC'),
    again: 0,
  },
  {
    line: 'apply hotel.yaml --yes',
    prepare: ({ folder }) => writeFile(join(folder, 'hotel.yaml'), hotelWithUnits('LEJ', 60)),
    writes: 7,
    wants: adds(
      ...['property LEJ', 'unit attribute SEA VIEW', 'unit group DBL of LEJ', 'unit group SUI of LEJ'],
      ...range(201, 260).map((name) => `unit ${name} of LEJ-DBL`),
      'unit 301 of LEJ-SUI',
    ),
    again: 0,
  },
  {
    line: 'apply --prune hotel.yaml --yes --max-deletes 6',
    prepare: furnish,
    writes: 6,
    wants: (before) => before.filter((line) => !/^unit .*(LEJ|SEA VIEW)/.test(line)),
    again: 0,
  },
  {
    line: 'undo attic --yes --confirm JQBCFQCB,MUC-ATT,MUC-KMK,MUC-LIT,MUC-MEC',
    prepare: attic,
    writes: 7,
    wants: (before) => [
      ...before.filter((line) => !/^(unit .*(SEA|ATT)|invitation mia@)/.test(line)),
      'user ben@aurora.example at MUC',
    ],
    again: 0,
  },
];

/** Everything that a service holds, a line each; what is there twice has two lines. */
function linesOf({ records, invited: sent }: Held): readonly string[] {
  return [
    ...[...records.properties.values()].flatMap(({ code, is_archived: isArchived }) => [
      `property ${code}`,
      ...(isArchived ? [`archived ${code}`] : []),
    ]),
    ...[...records.unit_groups.values()].map(({ code, property_id: id }) => `unit group ${code} of ${id}`),
    ...[...records.units.values()].map(({ name, unit_group_id: id }) => `unit ${name} of ${id}`),
    ...[...records.unit_attributes.values()].map(({ name }) => `unit attribute ${name}`),
    ...[...records.users.values()].flatMap(({ email, enabled, properties }) => [
      `user ${email}`,
      ...(enabled ? [`enabled ${email}`] : []),
      ...properties.map((id) => `user ${email} at ${id}`),
    ]),
    ...[...records.invitations.values()].map(
      ({ email, role, properties }) => `invitation ${email}: ${role} at ${properties}`,
    ),
    ...[...sent].flatMap(([email, times]) => Array<string>(times).fill(`mail to ${email}`)),
  ];
}

/** A service that holds what a command begins with, and the command. */
async function openCase({ line, prepare, wants, again }: Command) {
  const place = await openKilling('apaleo');
  await prepare?.(place);
  const held = async () => linesOf(await place.service.held()).toSorted();
  const wanted = wants(await held()).toSorted();
  const typed = `${line} --json`;
  return {
    [Symbol.asyncDispose]: place[Symbol.asyncDispose],
    killed: (strike: Parameters<Place['killed']>[1]) => place.killed(typed, strike),
    typedUntilDone: () => typedUntilDone(typed.split(' '), place),
    /** It made what it should, and when it is typed once more, no write kills it. */
    async expectDone() {
      expect(await held()).toEqual(wanted);
      if (again === undefined) return;
      const ended = await place.killed(typed, { moment: 'before the commit', write: 1 });
      expect(ended).toMatchObject({ exitCode: again });
    },
  };
}

const MOST_TYPED = 3;

/** Types a line, or the hint of an 8 instead, until it ends in 0. @returns each exit code, and the verb of a hint: `8 resend, 0`. */
async function typedUntilDone(line: readonly string[], { run }: Place) {
  const codes: string[] = [];
  let next = line;
  while (codes.length < MOST_TYPED && codes.at(-1) !== '0') {
    const { exitCode, stderr } = await run(next);
    next = exitCode === 8 ? [...new Set([...wordsOf(settlingLine(stderr)), '--yes'])] : line;
    codes.push(next[1] === line[1] ? String(exitCode) : `${exitCode} ${next[1]}`);
  }
  return codes.join(', ');
}

const cases = commands.flatMap((command) =>
  range(1, command.writes).flatMap((write) =>
    (['before the commit', 'after the commit'] as const).map((moment) => ({ ...command, write, moment })),
  ),
);

test.concurrent.for(cases)(
  'killed $moment of write $write and typed again, a command loses nothing and makes nothing twice: $line',
  async ({ moment, write, ...command }) => {
    await using place = await openCase(command);
    const { exitCode } = await place.killed({ moment, write });

    const codes = await place.typedUntilDone();

    expect(exitCode).toBe(null);
    expect(command.ends ?? ['0']).toContain(codes);
    await place.expectDone();
  },
);

test.concurrent.for(commands)('a command sends so many writes and is done: $line', async (command) => {
  await using place = await openCase(command);

  const ended = await place.killed({ moment: 'before the commit', write: command.writes + 1 });

  expect(ended).toMatchObject({ exitCode: command.done ?? 0 });
  await place.expectDone();
});
