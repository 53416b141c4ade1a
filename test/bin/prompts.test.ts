import { describe, expect, test } from 'vitest';
import { keys, openTerminal, type Terminal } from '../helpers/terminal.ts';
import { binary, type Home, openHome } from './home.ts';

const inviteAHousekeeper = ['--sandbox', 'invite', 'create', '--role', 'Housekeeping'];

/** The built innctl on a pseudo-terminal. */
function innctlAt(home: Home, args: readonly string[], env: Home['env'] = {}): Terminal {
  return openTerminal([process.execPath, binary, ...args], {
    cwd: home.folder,
    env: { ...home.env, ...env },
  });
}

/** The records of the sandbox, listed by another command. */
async function stored(home: Home, noun: 'invitations' | 'properties'): Promise<readonly unknown[]> {
  const { stdout } = await home.innctl(['--sandbox', noun, 'list', '--json']);
  return JSON.parse(stdout).items;
}

describe('on a real terminal', () => {
  test('an invitation prompts for the e-mail address, rejects an invalid one, and offers the properties', async () => {
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
    await terminal.sees('This will be sent to 127.0.0.1:');
    await terminal.sees('(profile sandbox):');
    await terminal.sees('Send it?');
    terminal.types(`y${keys.enter}`);
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, isReported: screen.includes('Invited mia@example.com.') }).toEqual({
      exitCode: 0,
      isReported: true,
    });
    expect(screen).toMatch(
      /Equivalent command:\s+innctl --sandbox invite create --role Housekeeping --email mia@example\.com --properties BER,VIE\r\n/,
    );
    expect(await stored(home, 'invitations')).toContainEqual(
      expect.objectContaining({ email: 'mia@example.com', role: 'Housekeeping', properties: ['BER', 'VIE'] }),
    );
  });

  test('^C at a prompt exits with 130, and nothing is created', async () => {
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

  test('^C keeps the answers in a line that goes on with the remaining questions', async () => {
    await using home = await openHome();
    using first = innctlAt(home, ['--sandbox', 'properties', 'create']);

    await first.sees('1 of 13 · Short code');
    first.types(`GRZ${keys.enter}`);
    await first.sees('2 of 13 · Name in English');
    first.types(keys.ctrlC);
    const { exitCode, screen } = await first.leaves();
    const line = screen.replaceAll('\r\n', '\n').match(/To go on:\s+innctl (.+)/)?.[1] ?? '';
    using second = innctlAt(home, line.split(' '));
    await second.sees('1 of 12 · Name in English');
    second.types(keys.ctrlC);

    expect({ exitCode, line, again: (await second.leaves()).exitCode }).toEqual({
      exitCode: 130,
      line: '--sandbox properties create --code GRZ',
      again: 130,
    });
    expect(await stored(home, 'properties')).not.toContainEqual(expect.objectContaining({ code: 'GRZ' }));
  });
});
