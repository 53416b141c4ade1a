import { describe, expect, test } from 'vitest';
import { keys } from '../helpers/terminal.ts';
import { type Home, openHome } from './home.ts';
import { openScreen } from './screen.ts';

const accessible = { ACCESSIBLE: '1' };

/** Everything that moves the cursor, clears the screen or changes a mode, except colours. */
function movementsIn(written: string): readonly string[] {
  const [, ...escapes] = written.split('\u001b');
  const drawn = written.match(/\r(?!\n)|[\b]/g) ?? [];
  return [...escapes.filter((rest) => !/^\[[0-9;]*m/.test(rest)), ...drawn];
}

async function invitations(home: Home): Promise<readonly unknown[]> {
  const { stdout } = await home.innctl(['--sandbox', 'invitations', 'list', '--json']);
  return JSON.parse(stdout).items;
}

describe.each([{ ACCESSIBLE: '1' }, { ACCESSIBLE: 'yes' }, { TERM: 'dumb' }])('with %o', (env) => {
  test('all prompts are plain lines, and nothing is redrawn', async () => {
    await using home = await openHome();
    using screen = openScreen(home, ['--sandbox', 'invite', 'create'], { env });

    await screen.shows('6. Housekeeping', 'Number:');
    screen.types(`housekeeping${keys.enter}`);
    await screen.shows('Invalid: Type a number from 1 to');
    screen.types(`6${keys.enter}`);
    await screen.shows('E-mail address to invite:');
    screen.types(`mia${keys.enter}`);
    await screen.shows('Invalid: "mia" is not an e-mail address');
    screen.types(`mia@example.com${keys.enter}`);
    await screen.shows('3. VIE', 'Numbers, as in 1,2, or 0 for none:');
    screen.types(`1,3${keys.enter}`);
    await screen.shows('Send it? [y/N]');
    screen.types(`y${keys.enter}`);
    const { exitCode, written } = await screen.leaves();

    expect({ exitCode, isReported: screen.text().includes('Invited mia@example.com.') }).toEqual({
      exitCode: 0,
      isReported: true,
    });
    expect(movementsIn(written)).toEqual([]);
    expect(await invitations(home)).toContainEqual(
      expect.objectContaining({ email: 'mia@example.com', role: 'Housekeeping', properties: ['BER', 'VIE'] }),
    );
  });
});

test('a secret is never echoed, even with corrections', async () => {
  await using home = await openHome();
  const urls = ['--identity-url', 'https://identity.example.com', '--base-url', 'https://api.example.com'];
  using screen = openScreen(
    home,
    ['profiles', 'add', 'house', ...urls, '--auth', 'token', '--insecure-storage'],
    {
      env: accessible,
    },
  );

  await screen.shows('Bearer token (hidden):');
  screen.types(`token-of-ana-wrongx\u007f${'\u007f'.repeat(5)}1234567890${keys.enter}`);
  const { exitCode, written } = await screen.leaves();

  expect({ exitCode, isShown: /token-of-ana|1234567890/.test(written) }).toEqual({
    exitCode: 0,
    isShown: false,
  });
  expect(movementsIn(written)).toEqual([]);
});
