import { expect, test } from 'vitest';
import { type Seeding, seedingIn } from '../helpers/seeding.ts';

const hotel = `code: HAM
name: { en: Harbour Hotel }
description: { en: At the harbour }
company_name: Nord GmbH
commercial_register_entry: HRB 1
tax_id: DE1
location: { address_line1: Am Kai 1, postal_code: "20457", city: Hamburg, country_code: DE }
payment_terms: { en: Now }
time_zone: Europe/Berlin
default_check_in_time: "15:00:00"
default_check_out_time: "11:00:00"
currency_code: EUR
`;

const group = 'property: BER\ncode: TRP\nname: { en: Triple }\ndescription: { en: Beds }\nmax_persons: 3\n';
const unit = 'property: BER\nname: "901"\ngroup: TRP\ndescription: { en: Bed }\nmax_persons: 2\n';
const attribute = 'name: TERRACE\ndescription: Away from the street\n';
const invitation = 'email: ada@aurora.example\nrole: Housekeeping\nproperties: [BER]\n';

const lists = {
  property: 'properties',
  unit_group: 'unit_groups',
  unit: 'units',
  unit_attribute: 'unit_attributes',
  invitation: 'invitations',
  user: 'users',
} as const;

interface Pair {
  /** A command about one record; ID is the id of the attribute. */
  readonly line: string;
  readonly kind: keyof typeof lists;
  /** The same wish as a file of one row. */
  readonly row: string;
  /** Rows that are there before. */
  readonly before?: readonly (readonly [kind: keyof typeof lists, row: string])[];
}

const withGroup = [['unit_group', group]] as const;
const withUnit = [...withGroup, ['unit', unit]] as const;
const ben = 'users update ben@aurora.example';

/** For each kind and operation. */
const pairs: readonly Pair[] = [
  { line: 'properties create --file one.yaml', kind: 'property', row: hotel },
  {
    line: 'properties update HAM --name en=Neu',
    kind: 'property',
    row: hotel.replace('Harbour Hotel', 'Neu'),
    before: [['property', hotel]],
  },
  { line: 'unit-groups create --file one.yaml', kind: 'unit_group', row: group },
  {
    line: 'unit-groups update --property BER TRP --rank 7',
    kind: 'unit_group',
    row: 'property: BER\ncode: TRP\nrank: 7\n',
    before: withGroup,
  },
  { line: 'units create --file one.yaml', kind: 'unit', row: unit, before: withGroup },
  {
    line: 'units update --property BER 901 --max-persons 3',
    kind: 'unit',
    row: 'property: BER\nname: "901"\nmax_persons: 3\n',
    before: withUnit,
  },
  { line: 'unit-attributes create --file one.yaml', kind: 'unit_attribute', row: attribute },
  {
    line: 'unit-attributes update ID --description Still',
    kind: 'unit_attribute',
    row: 'name: TERRACE\ndescription: Still\n',
    before: [['unit_attribute', attribute]],
  },
  { line: 'invitations create --file one.yaml', kind: 'invitation', row: invitation },
  {
    line: 'users disable ben@aurora.example --confirm ben@aurora.example',
    kind: 'user',
    row: 'email: ben@aurora.example\nenabled: false\n',
  },
  {
    line: `${ben} --set-properties BER,VIE --yes`,
    kind: 'user',
    row: 'email: ben@aurora.example\nproperties: [BER, VIE]\n',
  },
  { line: `${ben} --first-name Bert`, kind: 'user', row: 'email: ben@aurora.example\nfirst_name: Bert\n' },
];

function manifest(kind: keyof typeof lists, fields: string): string {
  return `${lists[kind]}:\n${fields.replace(/^/gm, '    ').replace(/^ {4}/, '  - ').trimEnd()}\n`;
}

/** What a service was sent, and what innctl knows of it. */
async function carriedOut(service: Seeding, line: string) {
  const sent: unknown[] = [];
  const onWrite = ({ method, url, body }: { method: string; url: string; body?: unknown }) =>
    sent.push([method, new URL(url).pathname, typeof body === 'string' ? JSON.parse(body) : body]);
  const { exitCode, stderr } = await service.innctl(line, { onWrite });
  const { stdout } = await service.innctl('history --fields kind,name,action,outcome,after --json');
  const [last] = JSON.parse(stdout).items;
  return { exitCode, stderr: exitCode === 0 ? '' : stderr, sent, last };
}

async function prepared(before: NonNullable<Pair['before']>): Promise<Seeding> {
  const service = await seedingIn('apaleo', Date.now);
  for (const [place, [kind, row]] of before.entries()) {
    const path = await service.file(`${place}.yaml`, manifest(kind, row));
    expect(await service.innctl(['apply', path, '--yes'])).toMatchObject({ exitCode: 0 });
  }
  return service;
}

/** The id of the attribute. */
async function idIn(service: Seeding): Promise<string> {
  const { stdout } = await service.innctl('unit-attributes list --json');
  const found: { id: string; name: string }[] = JSON.parse(stdout).items;
  return found.find(({ name }) => name === 'TERRACE')?.id ?? 'none';
}

/** Ids that the service gives are different in each. */
function withoutIds(carried: Awaited<ReturnType<typeof carriedOut>>, id: string) {
  return JSON.parse(JSON.stringify(carried).replaceAll(id, 'ID'));
}

test.each(pairs)('$line sends what a file of one row does', async ({ line, kind, row, before = [] }) => {
  const [one, many] = [await prepared(before), await prepared(before)];
  const [id, other] = [await idIn(one), await idIn(many)];
  const single = await one.file('one.yaml', row);
  const file = await many.file('one.yaml', manifest(kind, row));

  const byCommand = await carriedOut(one, line.replace('one.yaml', single).replace('ID', id));
  const byFile = await carriedOut(many, `apply ${file} --yes --max-deletes 1`);

  expect(withoutIds(byCommand, id)).toEqual(withoutIds(byFile, other));
  expect(byFile).toMatchObject({ exitCode: 0, last: { kind, outcome: 'done' } });
});

/** For each kind that can be deleted: the row that was created, and the command that deletes it. */
const deletions: readonly Pair[] = [
  { line: 'properties delete HAM --confirm HAM', kind: 'property', row: hotel },
  { line: 'unit-groups delete --property BER TRP --confirm TRP', kind: 'unit_group', row: group },
  { line: 'units delete --property BER 901 --confirm 901', kind: 'unit', row: unit, before: withGroup },
  { line: 'unit-attributes delete ID --confirm ID', kind: 'unit_attribute', row: attribute },
  { line: 'invitations delete ada@aurora.example --yes', kind: 'invitation', row: invitation },
];

test.each(deletions)('$line sends what --prune of one row does', async ({ line, kind, row, before = [] }) => {
  const services = [await prepared(before), await prepared(before)] as const;
  for (const service of services) {
    const path = await service.file('one.yaml', manifest(kind, row));
    expect(await service.innctl(['apply', path, '--yes'])).toMatchObject({ exitCode: 0 });
  }
  const [one, many] = services;
  const [id, other] = [await idIn(one), await idIn(many)];
  const file = await many.file('one.yaml', manifest('user', 'email: ben@aurora.example\nenabled: true\n'));

  const byCommand = await carriedOut(one, line.replaceAll('ID', id));
  const byPrune = await carriedOut(many, `apply ${file} --prune --yes --max-deletes 1`);

  expect(withoutIds(byCommand, id)).toEqual(withoutIds(byPrune, other));
  expect(byPrune).toMatchObject({ exitCode: 0, last: { kind, action: 'delete', outcome: 'done' } });
});
