import { describe, expect, test } from 'vitest';
import { keys } from '../helpers/terminal.ts';
import { openHome } from './home.ts';
import { openScreen } from './screen.ts';

const list = ['--sandbox', 'properties', 'list'];

describe('a terminal', () => {
  test.each([
    { because: 'TERM is not set', through: ['env', '-u', 'TERM'] },
    { because: 'TERM is empty', through: ['env', 'TERM='] },
    { because: 'TERM is unknown', through: ['env', 'TERM=typewriter'] },
    { because: 'COLUMNS contradicts the terminal', through: ['env', 'COLUMNS=20'] },
    { because: 'COLUMNS is invalid', through: ['env', 'COLUMNS=$(touch x)', 'LINES=-1'] },
  ])('shows the same when $because', async ({ through }) => {
    await using home = await openHome();
    using reference = openScreen(home, list);
    const { exitCode } = await reference.leaves();

    using screen = openScreen(home, list, { through });

    expect(await screen.leaves()).toMatchObject({ exitCode });
    expect({ exitCode, text: screen.text() }).toEqual({ exitCode: 0, text: reference.text() });
  });

  test.each([{}, { ACCESSIBLE: '1' }])('may be resized during a prompt: %o', async (env) => {
    await using home = await openHome();
    using screen = openScreen(home, ['--sandbox', 'invite', 'create', '--role', 'Housekeeping'], {
      columns: 120,
      env,
    });

    await screen.shows('E-mail address to invite');
    screen.resizes(24);
    screen.types(`mia@example.com${keys.enter}`);
    await screen.shows('VIE');
    screen.resizes(100);
    screen.types(keys.ctrlC);

    expect((await screen.leaves()).exitCode).toBe(130);
    expect(screen.text()).not.toContain('    at ');
  });
});
