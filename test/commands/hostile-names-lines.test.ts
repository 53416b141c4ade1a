import { describe, expect, test } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { allOf } from '../../src/reference/model.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { commandModel } from '../reference/tree.ts';
import { answering, nothingWrong, typed, wrongIn } from './hostile-names.ts';

const connect = answering(() => ({ status: 404, body: { messages: ['no'] } }));

const commands = allOf(await commandModel());

/** Command lines with control characters in every argument, flag value, flag and command. */
const lines = new Map<string, readonly (readonly string[])[]>([
  ['innctl', [[typed], [`--${typed}`], [`-${typed}`], ['help', typed], ['help', 'roles', typed]]],
  ...commands.map(({ path, arguments: taken, flags }): [string, string[][]] => [
    path.join(' '),
    [
      [...path, typed],
      [...path, `--${typed}`],
      ...(taken.length > 1 ? [[...path, ...taken.map(() => typed)]] : []),
      ...flags.flatMap(({ long, value }) =>
        value === undefined ? [] : [[...path, ...taken.map(() => 'x'), long, typed]],
      ),
      ...flags.map(({ long }) => [...path, `${long}=${typed}`]),
    ],
  ]),
]);

const modes = ['', '--json', '--debug'];

test.each(
  [...lines].map(([command, own], turn) => [command, modes[turn % modes.length] ?? '', own] as const),
)('control characters on the command line are escaped: %s %s', async (_, mode, ofCommand) => {
  for (const line of ofCommand) {
    const words = mode === '' ? line : [mode, ...line];
    const shown = await cli(words, { env: hotels, connect });
    expect({ line: line.slice(0, -1), ...wrongIn(shown) }).toEqual({
      line: line.slice(0, -1),
      ...nothingWrong,
    });
  }
});

describe('control characters in a variable are escaped', () => {
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

  test.each(['HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'XDG_CONFIG_HOME', 'TERM', 'CI'])(
    '%s',
    async (name) => {
      for (const line of ['roles list', 'roles list --debug', 'users get u-1', 'config path']) {
        const shown = await cli(line, { env: { ...hotels, [name]: typed }, connect });
        expect({ line, ...wrongIn(shown) }).toEqual({ line, ...nothingWrong });
      }
    },
  );
});
