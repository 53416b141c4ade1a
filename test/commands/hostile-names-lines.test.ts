import { describe, expect, test } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { allOf } from '../../src/reference/model.ts';
import { exitCodesOf } from '../../src/session/command-line.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { serviceCommands } from '../reference/lines.ts';
import { commandModel } from '../reference/tree.ts';
import { answering, nothingWrong, typed, wrongIn } from './hostile-names.ts';

const connect = answering(() => ({ status: 404, body: { messages: ['no'] } }));

const modes = [[], ['--json'], ['--debug']];

/** Words with which a command gets beyond its arguments, and its variables. */
const lines = new Map((await serviceCommands()).map((each) => [each.command, each]));

/** Each command and group, and lines with control characters in every argument, flag value, flag and command. */
const cases = allOf(await commandModel()).map(({ path, about, arguments: taken, flags }, turn) => {
  const known = lines.get(path.join(' '));
  const words = known?.rest.split(' ').filter(Boolean) ?? taken.map(() => 'x');
  return {
    command: path.join(' '),
    mode: modes[turn % modes.length] ?? [],
    env: { ...hotels, ...known?.env },
    codes: about.effect === undefined ? [0, 2] : exitCodesOf(about),
    own: [
      [...path, typed],
      [...path, `--${typed}`],
      ...(taken.length > 1 ? [[...path, ...taken.map(() => typed)]] : []),
      ...flags.map(({ long }) => [...path, ...words, `${long}=${typed}`]),
      ...(path.length > 0 ? [] : [[`-${typed}`], ['help', typed], ['help', 'roles', typed]]),
    ],
  };
});

test.each(cases)(
  'control characters on the command line are escaped: $command $mode',
  async ({ mode, own, env, codes }) => {
    for (const line of own) {
      const shown = await cli([...mode, ...line], { env, connect });
      expect({ line, ...wrongIn(shown) }).toEqual({ line, ...nothingWrong });
      expect(codes, line.join(' ')).toContain(shown.exitCode);
    }
  },
);

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
