import { describe, expect, test } from 'vitest';
import { keys, openTerminal, type Terminal } from '../helpers/terminal.ts';
import { binary, type Home, openHome } from './home.ts';

const inviteAHousekeeper = ['--sandbox', 'invite', 'create', '--role', 'Housekeeping'];

/** The built innctl with a person in front of it. */
function innctlAt(home: Home, args: readonly string[], env: Home['env'] = {}): Terminal {
  return openTerminal([process.execPath, binary, ...args], {
    cwd: home.folder,
    env: { ...home.env, ...env },
  });
}

/** What the sandbox holds under a noun, as the next command sees it. */
async function stored(home: Home, noun: 'invitations' | 'properties'): Promise<readonly unknown[]> {
  const { stdout } = await home.innctl(['--sandbox', noun, 'list', '--json']);
  return JSON.parse(stdout).items;
}

describe('on a real terminal', () => {
  test('an invitation asks for the e-mail, refuses a wrong one, and offers the properties', async () => {
    await using home = await openHome();
    using terminal = innctlAt(home, inviteAHousekeeper);

    await terminal.sees('E-mail address to invite');
    terminal.types(`mia${keys.enter}`);
    await terminal.sees('"mia" is not an e-mail address');
    terminal.types(`@example.com${keys.enter}`);
    await terminal.sees('Properties');
    await terminal.sees('VIE');
    terminal.types(`${keys.space}${keys.down}${keys.down}${keys.space}`);
    await terminal.sees('◉ VIE');
    terminal.types(keys.enter);
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, says: screen.includes('Invited mia@example.com.') }).toEqual({
      exitCode: 0,
      says: true,
    });
    expect(await stored(home, 'invitations')).toContainEqual(
      expect.objectContaining({ email: 'mia@example.com', role: 'Housekeeping', properties: ['BER', 'VIE'] }),
    );
  });

  test('^C at a question ends with 130, and nothing is created', async () => {
    await using home = await openHome();
    const before = await stored(home, 'invitations');
    using terminal = innctlAt(home, inviteAHousekeeper);

    await terminal.sees('E-mail address to invite');
    terminal.types(`mia@example.com${keys.enter}`);
    await terminal.sees('Properties');
    terminal.types(keys.ctrlC);
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, stack: screen.includes('    at ') }).toEqual({ exitCode: 130, stack: false });
    expect(await stored(home, 'invitations')).toEqual(before);
  });

  test('a property asks for each field that is missing', async () => {
    await using home = await openHome();
    const given = ['--code', 'HAM', '--company-name', 'Harbour GmbH', '--time-zone', 'Europe/Berlin'];
    using terminal = innctlAt(home, ['--sandbox', 'properties', 'create', ...given]);
    const answers = [
      ['Name in English', 'Harbour Hotel'],
      ["The company's entry", 'HRB 4711'],
      ["The company's tax id", 'DE123'],
      ['Street and number', 'Am Kai 1'],
      ['Postal code', '20095'],
      ['City', 'Hamburg'],
      ['Country', 'DE'],
      ['15:00:00', '15:00:00'],
      ['11:00:00', '11:00:00'],
      ['Currency', 'EUR'],
    ] as const;

    for (const [question, answer] of answers) {
      await terminal.sees(question);
      terminal.types(`${answer}${keys.enter}`);
    }
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, says: screen.includes('Created property HAM.') }).toEqual({ exitCode: 0, says: true });
    expect(await stored(home, 'properties')).toContainEqual(
      expect.objectContaining({ id: 'HAM', company_name: 'Harbour GmbH', time_zone: 'Europe/Berlin' }),
    );
  });

  test.each([
    { because: 'CI is set', flags: [], env: { CI: 'true' } },
    { because: '--no-input is given', flags: ['--no-input'], env: {} },
    { because: '--json is given', flags: ['--json'], env: {} },
  ])('nothing is asked when $because', async ({ flags, env }) => {
    await using home = await openHome();
    using terminal = innctlAt(home, [...inviteAHousekeeper, ...flags], env);

    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, asks: screen.includes('E-mail address to invite') }).toEqual({
      exitCode: 2,
      asks: false,
    });
    expect(screen).toContain('email: is missing');
  });
});
