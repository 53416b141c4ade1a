import { expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { beforeUndo, serviceCommands } from '../reference/lines.ts';
import {
  attacks,
  counting,
  hostileSandbox,
  hostileService,
  nothingWrong,
  obeyedIn,
  wrongIn,
} from './hostile-names.ts';

/** Every way to print, at a service or as a person sees it. */
const ways: readonly [string, Situation, string?][] = [
  ['as a table', { columns: 4_000 }],
  ['as a narrow table', { columns: 40 }],
  ['without boxes', { columns: 4_000, env: { TERM: 'dumb' } }],
  ['in a pipe', {}],
  ['in colour in a pipe', {}, '--color always'],
  ['as json', {}, '--json'],
  ['as yaml', {}, '-o yaml'],
  ['as csv', {}, '-o csv'],
  ['as csv at a terminal', { columns: 80 }, '-o csv'],
  ['with a query', {}, '--query @'],
  ['with a trace', {}, '--debug'],
];

/** Further ways to print records. */
const further: readonly [string, Situation][] = [
  ['users list -o cards', { columns: 80 }],
  ['properties get BER -o cards', { columns: 80 }],
  ['users list -q', {}],
  ['properties list -q', {}],
  ['properties list -o ndjson', {}],
  ['properties list --fields name,location', { columns: 80 }],
  ['users list --query items[].id -r', {}],
  ['properties list --query items[0].id||id||company_name -r', {}],
  ['api GET /api/v1/roles -i', {}],
  ['api GET /inventory/v1/properties/BER -i --color always', {}],
];

test('obeyedIn finds every attack and allows harmless text', () => {
  expect(
    Object.entries(attacks).flatMap(([name, each]) => (obeyedIn(each).length > 0 ? [] : [name])),
  ).toEqual([]);
  expect(obeyedIn('Grand Hôtel ❤️ 葛\u{e0100}飾 東京 فندق 1️⃣\n\t')).toEqual([]);
  expect(obeyedIn('\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m', true)).toEqual([]);
  expect(obeyedIn('\u001b[1m\u001b[5m', true)).toEqual(['U+1b']);
});

/** What the exit code of a command is in the hostile sandbox, if not 0. */
const exits: Readonly<Record<string, number>> = {
  'properties clone': 2, // Its texts have line breaks.
  'unit-attributes delete': 6, // Units have it.
  'users grant': 9, // It gives no role.
  undo: 9, // The texts are others now.
};

/** Runs a line. @returns its exit code, whether it sent anything, and what is wrong in its output. */
async function shownBy(line: string, connect: Connect, situation: Situation) {
  const counted = counting(connect);
  const shown = await cli(line, { ...situation, connect: counted.connect });
  const inColour = line.includes('always') || situation.columns !== undefined;
  return { exitCode: shown.exitCode, isSent: counted.sent() > 0, ...wrongIn(shown, inColour) };
}

const commands = (await serviceCommands()).map((each, turn) => ({
  ...each,
  // The remainder is an index.
  way: ways[turn % ways.length] as (typeof ways)[number],
}));

test.each(commands)(
  '$command $way.0 escapes hostile names of a sandbox',
  async ({ command, rest, env, way: [, situation, flags = ''] }) => {
    const folder = await temporaryFolder();
    if (command === 'undo') await cli(`--sandbox ${beforeUndo}`, { folder, connect: connectUndici });

    const shown = await shownBy(`--sandbox ${command} ${rest} ${flags}`, hostileSandbox, {
      ...situation,
      folder,
      env: { ...env, ...situation.env },
    });

    expect(shown).toEqual({ exitCode: exits[command] ?? 0, isSent: true, ...nothingWrong });
  },
);

test.each(commands.filter(({ isWriting }) => !isWriting))(
  '$command escapes hostile records',
  async ({ command, rest, env, codes }) => {
    const shown = await shownBy(`${command} ${rest}`, hostileService, {
      env: { ...hotels, ...env },
      columns: 80,
    });

    expect(shown).toEqual({ exitCode: expect.any(Number), isSent: true, ...nothingWrong });
    expect(codes).toContain(shown.exitCode);
  },
);

test.each(further)('%s escapes hostile records', async (line, situation) => {
  expect(await shownBy(line, hostileService, { ...situation, env: hotels })).toEqual({
    exitCode: 0,
    isSent: true,
    ...nothingWrong,
  });
});
