import { expect, test } from 'vitest';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { attacks, counting, hostileService, nothingWrong, obeyedIn, wrongIn } from './hostile-names.ts';

/** Every command that reads records. */
const reads = [
  'invitations list',
  'roles list',
  'users list',
  'users get u-1',
  'users me',
  'properties list',
  'properties get BER',
  'properties count',
  'countries list',
  'api GET /api/v1/roles',
  'api GET /api/v1/roles -i',
  'api GET /inventory/v1/properties/BER -i',
];

/** Every way to print them. */
const ways: readonly [string, Situation, string?][] = [
  ['as a table', { columns: 4_000 }],
  ['as a narrow table', { columns: 40 }],
  ['without boxes', { columns: 4_000, env: { TERM: 'dumb' } }],
  ['as cards', { columns: 80 }, '-o cards'],
  ['in a pipe', {}],
  ['in colour in a pipe', {}, '-o table --color always'],
  ['as json', {}, '--json'],
  ['as ndjson', {}, '-o ndjson'],
  ['as csv', {}, '-o csv'],
  ['as csv at a terminal', { columns: 80 }, '-o csv'],
  ['as yaml', {}, '-o yaml'],
  ['as ids', {}, '-q'],
  ['with one field', { columns: 80 }, '--fields name,location'],
  ['with a query', {}, '--query @'],
  ['with a raw query', {}, '--query items[].id -r'],
  ['with a raw text', {}, '--query items[0].id||id||company_name -r'],
  ['with a trace', {}, '--debug'],
];

test('obeyedIn finds every attack and allows harmless text', () => {
  expect(
    Object.entries(attacks).flatMap(([name, each]) => (obeyedIn(each).length > 0 ? [] : [name])),
  ).toEqual([]);
  expect(obeyedIn('Grand Hôtel ❤️ 葛\u{e0100}飾 東京 فندق 1️⃣\n\t')).toEqual([]);
  expect(obeyedIn('\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m', true)).toEqual([]);
  expect(obeyedIn('\u001b[1m\u001b[5m', true)).toEqual(['U+1b']);
});

/** Each way with two commands, and each command with two ways or more. */
const printed = ways.flatMap(([way, situation, flags = ''], turn) =>
  [turn, turn + 6].map((at) => ({ line: reads[at % reads.length] ?? '', way, situation, flags })),
);

test('every command is printed', () => {
  expect(new Set(printed.map(({ line }) => line)).size).toBe(reads.length);
});

test.each(printed)('$line $way escapes hostile names', async ({ line, situation, flags }) => {
  const env: Situation['env'] & { NO_COLOR?: string } = { ...hotels, ...situation.env };
  const { connect, sent } = counting(hostileService);

  const shown = await cli(`${line} ${flags}`, { connect, ...situation, env });

  expect(shown.exitCode, shown.stderr).toBe(0);
  expect(sent()).toBeGreaterThan(0);

  const inColour =
    flags.includes('always') || (situation.columns !== undefined && env.NO_COLOR === undefined);
  expect(wrongIn(shown, inColour)).toEqual(nothingWrong);
});
