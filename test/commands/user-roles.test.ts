import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { freshFolder } from '../sandbox/harness.ts';

let folder = '';

beforeEach(async () => {
  folder = await freshFolder();
});

describe.each(['contract', 'apaleo'])('in the dialect %s', (dialect) => {
  const innctl = (line: string, situation: Situation = {}) =>
    cli(`--sandbox ${line}`, {
      folder,
      connect: connectUndici,
      env: { INNCTL_DIALECT: dialect, XDG_STATE_HOME: folder },
      ...situation,
    });

  test.each(['yaml', 'json', 'ndjson', 'csv'])(
    'a plan of an unchanged %s export has no changes',
    async (format) => {
      await innctl('users update david@aurora.example --add-properties BER');
      const exported = await innctl(`export --kind user -o ${format}`);
      await writeFile(join(folder, `all.${format}`), exported.stdout);

      const { exitCode, stdout } = await innctl(`plan ${join(folder, `all.${format}`)} --exit-code --json`);

      expect(exported.stdout).toMatch(/BER: none; VIE: PropertyAdmin|PropertyAdmin/);
      expect({ exitCode, summary: JSON.parse(stdout).summary }).toEqual({
        exitCode: 0,
        summary: { same: 12 },
      });
    },
  );

  const ben = {
    email: 'ben@aurora.example',
    properties: ['BER', 'MUC'],
    property_roles: [
      { id: 'MUC', roles: ['FrontDesk'] },
      { id: 'BER', roles: ['Auditor'] },
    ],
  };
  const warning =
    "warning: Set roles in the service's web app:\n" +
    '  ben@aurora.example: property_roles.BER is "FrontDesk", not "Auditor", and cannot be changed\n';

  test('apply makes the other changes and warns about roles', async () => {
    const nothing = await innctl('apply - --yes', { stdin: JSON.stringify({ users: [ben] }) });
    const change = await innctl('apply - --yes', {
      stdin: JSON.stringify({ users: [{ ...ben, properties: ['BER', 'MUC', 'VIE'] }] }),
    });

    expect(nothing).toMatchObject({
      exitCode: 0,
      stderr: `${warning}There is nothing to do: 1 not changeable here.\n`,
    });
    expect(change.exitCode).toBe(0);
    expect(change.stderr).toContain(warning);
    expect(change.stderr).toContain('Applied: 1 changed.\n');
    const { stdout } = await innctl('users get ben@aurora.example --fields properties');
    expect(stdout).toBe('properties\tBER, MUC, VIE\n');
  });
});
