import { describe, expect, test } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { allOf } from '../../src/reference/model.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { commandModel } from '../reference/tree.ts';
import { answering, nothingWrong, typed, wrongIn } from './hostile-names.ts';

const connect = answering(() => ({ status: 404, body: { messages: ['no'] } }));

/** Every word that a person may type, hostile: arguments, values of flags, flags, commands. */
const lines: readonly (readonly string[])[] = [
  [typed],
  [`--${typed}`],
  [`-${typed}`],
  ['help', typed],
  ['help', 'roles', typed],
  ...allOf(await commandModel()).flatMap(({ path, arguments: taken, flags }) => [
    [...path, typed],
    [...path, `--${typed}`],
    ...(taken.length > 1 ? [[...path, ...taken.map(() => typed)]] : []),
    ...flags.flatMap(({ long, value }) =>
      value === undefined ? [] : [[...path, ...taken.map(() => 'x'), long, typed]],
    ),
    ...flags.map(({ long }) => [...path, `${long}=${typed}`]),
  ]),
];

test.each(['', '--json', '--debug'])(
  'no word of a command line reaches the screen as it is %s',
  async (flag) => {
    const wrong: unknown[] = [];
    for (const line of lines) {
      const words = flag === '' ? line : [flag, ...line];
      const shown = await cli(words, { env: hotels, connect });
      const found = wrongIn(shown);
      if (JSON.stringify(found) !== JSON.stringify(nothingWrong))
        wrong.push({ line: line.slice(0, -1), found, shown });
    }

    expect(wrong).toEqual([]);
  },
);

describe('no variable reaches the screen as it is', () => {
  test.each(Object.values(settings).map(({ env }) => env))('%s', async (name) => {
    for (const line of [
      'config list',
      'config list --json',
      'roles list',
      'roles list --json',
      'profiles list',
    ]) {
      const shown = await cli(line, { env: { ...hotels, [name]: typed }, connect });
      expect({ line, ...wrongIn(shown) }).toEqual({ line, ...nothingWrong });
    }
  });

  test.each(['HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'EDITOR', 'XDG_CONFIG_HOME', 'TERM', 'CI'])(
    '%s',
    async (name) => {
      for (const line of ['roles list', 'roles list --debug', 'users edit u-1', 'config path']) {
        const shown = await cli(line, { env: { ...hotels, [name]: typed }, connect });
        expect({ line, ...wrongIn(shown) }).toEqual({ line, ...nothingWrong });
      }
    },
  );
});
