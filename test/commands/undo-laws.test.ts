import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateOf } from '../helpers/account-state.ts';
import { fc, few } from '../helpers/laws.ts';
import { hotelEntry, type Seeding, seedingFrom } from '../helpers/seeding.ts';
import { readHeld } from '../soak/service.ts';

const text = fc.constantFrom('Grand Hotel', 'Zum Löwen', '- dash', "it's", '007', 'null');
const person = fc.constantFrom(...['ben', 'clara', 'hanna', 'karl'].map((name) => `${name}@aurora.example`));
const invited = fc.constantFrom(
  ...['jonas.keller', 'lea.wagner', 'nora.fuchs'].map((name) => `${name}@aurora.example`),
);
const hotel = fc.constantFrom('BER', 'MUC', 'VIE');
const language = fc.constantFrom('en', 'de', 'fr');

/** Some of these flags, with values of their own. */
const some = (flags: Readonly<Record<string, fc.Arbitrary<string>>>) =>
  fc
    .record(flags, { requiredKeys: [] })
    .filter((given) => Object.keys(given).length > 0)
    .map((given) => Object.entries(given).flatMap(([flag, value]) => [`--${flag}`, String(value)]));
const inLanguage = fc.tuple(language, text).map(([code, value]) => `${code}=${value}`);
/** @param words fixed ones with blanks between them. */
const line = (...words: readonly (string | fc.Arbitrary<string | string[]>)[]) =>
  fc
    .tuple(...words.map((word) => (typeof word === 'string' ? fc.constant(word.split(' ')) : word)))
    .map((parts) => parts.flat());

/** A file with what is new, and what is there with other values. */
const manifest = fc
  .record(
    {
      properties: fc.constant([{ code: 'NEU' }]),
      unit_attributes: fc.constant([{ name: 'POOL', description: 'Heated' }, { name: 'SEA' }]),
      unit_groups: fc
        .record({ name: text, max_persons: fc.integer({ min: 1, max: 9 }) })
        .map(({ name, max_persons }) => [
          { property: 'NEU', code: 'DBL', name: { en: name }, description: { en: name }, max_persons },
          {
            property: 'BER',
            code: 'DBL',
            name: { en: name, de: name },
            description: { en: 'x' },
            max_persons,
          },
        ]),
      units: fc
        .record({ description: text, last: fc.integer({ min: 2, max: 6 }) })
        .map(({ description, last }) => [
          { property: 'NEU', names: [`1..${last}`], group: 'DBL', attributes: ['SEA'] },
          {
            property: 'BER',
            name: '201',
            description: { de: description },
            attributes: ['SEA', 'QUIET'],
            condition: 'Dirty',
          },
        ]),
      users: fc
        .subarray(['BER', 'MUC', 'VIE', 'NEU'])
        .map((properties) => [{ email: 'ben@aurora.example', properties, enabled: true }]),
      invitations: fc.constant([{ email: 'mia@aurora.example', role: 'Housekeeping', properties: ['NEU'] }]),
    },
    { requiredKeys: ['properties', 'unit_attributes', 'unit_groups'] },
  )
  .map((file) => ['apply', JSON.stringify(file)]);

/** Commands by what they do. `BER/901` is there before, and the unit attribute `POOL`, the hotel `HAM` with a unit. */
const commands = {
  access: fc.oneof(
    person.map((each) => ['users', 'disable', each, '--confirm', each]),
    line('users enable', person),
    line('users grant', person, hotel),
    line('users revoke', person, fc.constantFrom(['BER'], ['--all'])),
    line(
      'users update',
      person,
      some({ 'first-name': text, 'last-name': text, 'is-account-admin': fc.constant('true') }),
    ),
    line('users update', person, '--add-properties', hotel),
    line(
      'users update ben@aurora.example clara@aurora.example --set-properties',
      fc.constantFrom('VIE', '[]'),
    ),
    person.map((each) => ['people', 'offboard', each, '--strip', '--confirm', each]),
  ),
  invitations: fc.oneof(
    line('invitations delete', invited),
    line('invitations delete lea.wagner@aurora.example nora.fuchs@aurora.example'),
    line('invitations delete --older-than 5d --max-deletes 9'),
    line('people offboard', invited),
    line('invitations create mia@aurora.example --role Auditor --property', hotel),
    line('invitations resend', invited),
  ),
  properties: fc.oneof(
    line(
      'properties update HAM',
      some({
        ...{ name: inLanguage, description: inLanguage, 'company-name': text, 'payment-terms': inLanguage },
        ...{ city: text, 'address-line2': text, iban: text, bank: text, 'managing-directors': text },
      }),
    ),
    line('properties update MUC VIE', some({ description: inLanguage, 'tax-id': text })),
    line(
      'properties update HAM --patch',
      text.map((value) => JSON.stringify([{ op: 'add', path: '/name/de', value }])),
    ),
    line('properties delete HAM --confirm HAM'),
  ),
  inventory: fc.oneof(
    line(
      'unit-groups update BER-DBL',
      some({
        name: inLanguage,
        rank: fc.constant('9'),
        description: inLanguage,
        'max-persons': fc.constant('7'),
      }),
    ),
    line('unit-groups update BER-DBL --unset', fc.constantFrom('rank', 'name.de')),
    line('unit-groups delete MUC-MTG --confirm MUC-MTG'),
    line(
      'units update --property BER 901 202',
      some({
        description: inLanguage,
        condition: fc.constant('Dirty'),
        'add-attribute': fc.constantFrom('QUIET', 'POOL'),
        'remove-attribute': fc.constantFrom('STREET', 'BALCONY'),
        group: fc.constant('SGL'),
      }),
    ),
    line(
      'units create --property BER --group DBL --description',
      inLanguage,
      '--max-persons 2',
      fc.constantFrom(['--name', '950'], ['--names', '950..954']),
    ),
    line('units delete --property BER 901 --confirm 901'),
    line('unit-attributes create --name SEA --description', text),
    line('unit-attributes update --description', text, 'CSRUJJGA'),
    // SPARE
    line('unit-attributes delete ELFYQKRD --confirm ELFYQKRD'),
  ),
  files: manifest,
  'what is pruned': manifest.map(([, file = '']) => ['prune', file]),
} as const;

async function worldWith(dialect: 'apaleo' | 'contract' = 'apaleo') {
  const seeding = await seedingFrom('small', dialect, Date.now);
  let runs = 0;
  const innctl = (words: readonly string[], situation: Parameters<Seeding['innctl']>[1] = {}) => {
    runs += 1;
    const uuid = `00000000-0000-4000-8000-${String(runs).padStart(12, '0')}`;
    return seeding.innctl(words, { uuid, ...situation });
  };
  const state = async () =>
    stateOf((await readHeld(join(seeding.folder, 'service', 'state.ndjson'))).records);
  const lastRun = async (): Promise<string> =>
    JSON.parse((await innctl(['runs', 'list', '--json'])).stdout).items[0]?.run_id;
  /** Runs a line, with the names that it wants to be confirmed by. */
  const confirmed = async (words: readonly string[], situation = {}) => {
    const asked = await innctl(words, situation);
    const hint: string = asked.exitCode === 11 ? JSON.parse(asked.stderr).error.hint : '';
    const names = [...hint.matchAll(/--confirm (?:'([^']*)'|(\S+))/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    );
    return names.length === 0
      ? asked
      : innctl([...words, ...names.flatMap((name) => ['--confirm', name])], situation);
  };
  return { ...seeding, innctl, confirmed, state, lastRun };
}

async function prepared(dialect: 'apaleo' | 'contract') {
  const world = await worldWith(dialect);
  const inside = {
    unit_attributes: [{ name: 'POOL' }, { name: 'SPARE', description: 'Not used' }],
    units: [
      {
        property: 'BER',
        name: '901',
        group: 'DBL',
        description: { en: 'View', de: 'Blick' },
        attributes: ['POOL', 'STREET'],
      },
    ],
  };
  const further = '    payment_terms: { en: Now }\n    description: { en: Old, de: Alt }\n';
  const hotels = `properties:\n${hotelEntry('HAM')}${dialect === 'apaleo' ? further : ''}`;
  const files = [
    await world.file('ham.yaml', hotels),
    await world.file('inside.json', JSON.stringify(inside)),
  ];
  const some = dialect === 'apaleo' ? files : files.slice(0, 1);
  expect(await world.innctl(['apply', ...some, '--yes'])).toMatchObject({ exitCode: 0 });
  return world;
}

/** Carries out a command; the manifest of an apply is its second word, which a prune leaves almost empty. */
async function doing([verb = '', ...words]: readonly string[], world: Awaited<ReturnType<typeof worldWith>>) {
  if (verb !== 'apply' && verb !== 'prune') return world.innctl([verb, ...words, '--yes']);
  const { properties: _, ...inside } = JSON.parse(words[0] ?? '');
  const left = verb === 'apply' ? inside : { unit_attributes: [{ name: 'SPARE' }] };
  const files = [
    await world.file('neu.yaml', `properties:\n${hotelEntry('NEU')}    payment_terms: { en: Now }\n`),
    await world.file('neu.json', JSON.stringify(left)),
  ];
  const flags = verb === 'apply' ? [] : ['--prune', '--max-deletes', '99'];
  return world.innctl(['apply', ...files, '--yes', ...flags]);
}

test.each([
  ...Object.entries(commands).map(([name, arbitrary]) => [name, 'apaleo', arbitrary] as const),
  ...(['access', 'invitations', 'properties'] as const).map(
    (name) => [name, 'contract', commands[name]] as const,
  ),
])(
  '%s (%s): to undo is to be as before, and to undo that is to be as after',
  async (_, dialect, arbitrary) => {
    await fc.assert(
      fc.asyncProperty(arbitrary as fc.Arbitrary<readonly string[]>, async (words) => {
        const world = await prepared(dialect);
        if (words[0] === 'prune') await doing(['apply', ...words.slice(1)], world);
        const before = await world.state();
        const setup = await world.lastRun();
        const did = await doing(words, world);
        const after = await world.state();
        const run = await world.lastRun();
        fc.pre(run !== setup && [0, 9].includes(did.exitCode));

        const undone = await world.confirmed(['undo', run, '--yes', '--json']);
        const restored = await world.state();
        const undo = await world.lastRun();
        const sent = world.writes.length;
        const again = await world.confirmed(['undo', run, '--yes', '--json']);
        const sentAgain = world.writes.length - sent;
        const redone = undo === run ? undone : await world.confirmed(['undo', undo, '--yes', '--json']);

        const said = [words, did, undone, again, redone];
        expect(restored, JSON.stringify(said)).toEqual(before);
        expect([undone.exitCode, again.exitCode, sentAgain], JSON.stringify(said)).toEqual([0, 0, 0]);
        expect(await world.state(), JSON.stringify(said)).toEqual(after);
      }),
      { ...few(5), endOnFailure: true },
    );
  },
  240_000,
);

test.each([
  [
    'users update ben@aurora.example --first-name Bob',
    'users update ben@aurora.example --first-name Bill',
    'first_name: "Ben" -> "Bob", and is "Bill" now',
  ],
  [
    'properties update MUC --company-name One',
    'properties update MUC --company-name Two',
    'company_name: .* -> "One", and is "Two" now',
  ],
  [
    'unit-groups update BER-DBL --rank 8 --name de=Eins',
    'unit-groups update BER-DBL --rank 9',
    'rank: 2 -> 8, and is 9 now',
  ],
  [
    'units create --property BER --group DBL --name 950 --description en=A --max-persons 2',
    'units update --property BER 950 --description en=B',
    'was changed since: description',
  ],
  [
    'units delete --property BER 103 --confirm 103',
    'units create --property BER --name 103 --group DBL --description en=Other --max-persons 2',
    'is there again, and differs in description',
  ],
  [
    'unit-attributes create --name SEA',
    'unit-attributes update DPWAZFOD --description Sea',
    'was changed since: description',
  ],
])('%s, and then %s: a conflict that names the field, and nothing is sent', async (line, other, conflict) => {
  const world = await worldWith();
  await world.innctl(line.split(' '));
  const run = await world.lastRun();
  await world.innctl(other.split(' '), { folder: join(world.folder, 'elsewhere') });
  const sent = world.writes.length;

  const { exitCode, stderr } = await world.confirmed(['undo', run, '--yes', '--json']);

  expect({ exitCode, sent: world.writes.length }, stderr).toEqual({ exitCode: 9, sent });
  expect(
    JSON.parse(stderr)
      .error.details.map(({ reason = '' }) => reason)
      .join(),
  ).toMatch(new RegExp(conflict));
});
