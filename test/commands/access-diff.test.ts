import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccessDocument, Fact } from '../../src/people/access-document.ts';
import { documentOf } from '../../src/people/facts.ts';
import { serveAccess } from '../helpers/account.ts';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { invitationFact, userFact } from '../helpers/facts.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

onlyIntercepted();

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

const ana = userFact('ana@example.com', {
  name: 'Ana Lang',
  account_admin: true,
  property: '*',
  property_name: '',
  roles: [],
});
const ben = userFact('ben@example.com', { name: 'Ben Schuster' });
const mia = invitationFact('mia@example.com', { roles: ['Housekeeping'] });
const berlin = { ...property, name: 'Berlin' };
const about = {
  made: '2026-03-01T08:00:00.000Z',
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  dialect: 'apaleo',
  actor: 'ana@example.com',
} as const;

async function saved(name: string, facts: readonly Fact[], changed: Partial<AccessDocument['access']> = {}) {
  const document = documentOf(facts, [berlin], { ...about, ...changed });
  await writeFile(join(folder, name), JSON.stringify(document));
  return join(folder, name);
}

const september = { made: '2026-09-01T08:00:00.000Z' };

/** Three reports: what is there in March, more of it, and less. */
async function compared(line: string, after: readonly Fact[], situation: Situation = {}) {
  const [old, later] = [
    await saved('march.json', [ana, ben, mia]),
    await saved('september.json', after, september),
  ];
  return cli(['access', 'diff', old, later, ...line.split(' ').filter(Boolean)], situation);
}

const disabled = { ...ben, state: 'disabled' } as const;
const benInVienna = { ...ben, property: 'VIE', property_name: 'Wien' };
const benInMunich = { ...ben, property: 'MUC', property_name: 'München' };

describe('two saved reports', () => {
  test('are compared at a terminal', async () => {
    const miaIsIn = { ...ben, email: 'mia@example.com', name: 'Mia Kunz', subject_id: 'u-mia', roles: [] };

    const after = [ana, { ...ben, roles: ['Auditor'], mfa: false }, benInVienna, benInMunich, miaIsIn];
    expect(await compared('--color never', after, { columns: 80 })).toEqual({
      exitCode: 0,
      stdout: [
        '┌─────────┬─────────────────┬──────────┬──────────────┬─────────────┐',
        '│ Change  │ E-mail          │ Property │ roles before │ roles after │',
        '├─────────┼─────────────────┼──────────┼──────────────┼─────────────┤',
        '│ changed │ ben@example.com │ BER      │ FrontDesk    │ Auditor     │',
        '│ gained  │ ben@example.com │ MUC      │ -            │ FrontDesk   │',
        '│ gained  │ ben@example.com │ VIE      │ -            │ FrontDesk   │',
        '│ lost    │ mia@example.com │ BER      │ Housekeeping │ -           │',
        '│ gained  │ mia@example.com │ BER      │ -            │ -           │',
        '└─────────┴─────────────────┴──────────┴──────────────┴─────────────┘',
        '',
      ].join('\n'),
      stderr: '3 columns more with -o wide or --fields.\n3 gained, 1 lost, 1 changed; 4 with new access.\n',
    });
  });

  test('are compared as JSON', async () => {
    const { stdout } = await compared('--json', [ana, disabled, mia]);

    const content = {
      name: 'Ben Schuster',
      state: 'active',
      account_admin: false,
      roles: ['FrontDesk'],
      mfa: true,
      passkeys: false,
    };
    expect(JSON.parse(stdout)).toEqual({
      diff: {
        version: 1,
        old: '2026-03-01T08:00:00.000Z',
        new: '2026-09-01T08:00:00.000Z',
        ...{ gained: 0, lost: 0, changed: 1, new_access: 0 },
      },
      count: 1,
      items: [
        {
          change: 'changed',
          new_access: false,
          email: 'ben@example.com',
          name: 'Ben Schuster',
          subject_id: 'ben-1',
          source: 'user',
          property: 'BER',
          property_name: 'Berlin',
          fields: ['state'],
          before: content,
          after: { ...content, state: 'disabled' },
        },
      ],
    });
  });

  test('are a table elsewhere', async () => {
    const { stdout } = await compared('-o csv', [ana, ben]);

    expect(stdout).toBe(
      'change,new_access,email,name,source,property,property_name,fields,before.state,after.state,before.account_admin,after.account_admin,before.roles,after.roles,before.mfa,after.mfa,before.passkeys,after.passkeys\n' +
        'lost,false,mia@example.com,,invitation,BER,Berlin,,invited,,false,,Housekeeping,,,,,\n',
    );
  });

  test.each<[string, readonly Fact[], string, number]>([
    ['nothing changed', [ana, ben, mia], '--exit-code --no-new-access', 0],
    ['something was lost', [ana, ben], '--exit-code', 10],
    ['something was gained', [ana, ben, benInVienna, mia], '--no-new-access', 10],
    ['an account admin got a property', [ana, { ...ana, property: 'BER' }, ben, mia], '--no-new-access', 0],
  ])('%s: exit code', async (_, after, flags, exitCode) => {
    expect((await compared(flags, after)).exitCode).toBe(exitCode);
  });

  test('about other hosts are compared with a warning', async () => {
    const old = await saved('march.json', [ana], { identity_url: about.base_url });
    const other = await saved('other.json', [ana], {
      base_url: 'https://x.example.com',
      identity_url: 'https://x.example.com',
    });

    expect(await cli(['access', 'diff', old, other])).toEqual(
      ended(
        0,
        `warning: ${old} is about https://api.example.com, and ${other} about https://x.example.com.\n` +
          'Nothing has changed.\n',
      ),
    );
  });

  test('may come from stdin, but not both', async () => {
    const old = await saved('march.json', [ana]);
    const stdin = JSON.stringify(documentOf([ana, ben], [berlin], { ...about, ...september }));

    expect((await cli(['access', 'diff', old, '-', '--exit-code'], { stdin })).exitCode).toBe(10);
    expect(await cli('access diff - -', { stdin })).toMatchObject({ exitCode: 2, stdout: '' });
  });

  const makerHint = /^hint: innctl access report --json > access\.json makes one\.$/m;

  test.each<[string, string, string]>([
    ['is no JSON', 'access: BER', 'march.json'],
    ['was cut', '{"access":{}}', 'march.json: '],
  ])('a file that %s is exit 2, and nothing is sent', async (_, text, reason) => {
    const path = join(folder, 'march.json');
    await writeFile(path, text);

    const { exitCode, stdout, stderr } = await cli(['access', 'diff', path], { env: hotels });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toMatch(makerHint);
  });

  test('hostile names are neutralised', async () => {
    const email = '=cmd|\u001b[31m\u202eevil@example.com';
    const { stdout } = await compared('--color never', [ana, ben, mia, { ...ben, email, name: '\u0007' }], {
      columns: 200,
    });

    expect(stdout).toContain('│ =cmd|\\u{1b}[31m\\u{202e}evil@example.com │');
    expect((await compared('-o csv', [ana, ben, mia, { ...ben, email }])).stdout).toContain(",'=cmd|");
  });
});

describe('a saved report and the account as it is now', () => {
  test.each(['contract', 'apaleo'])('are compared in the dialect %s', async (dialect) => {
    const old = await saved('march.json', [ana, mia]);
    const names = { subjectId: 'ana-1', firstName: 'Ana', lastName: 'Lang', email: 'ANA@example.com' };
    const flags = { enabled: true, isAccountAdmin: true, isMfaEnabled: false, isPasskeysEnabled: false };
    const self = { ...names, ...flags, properties: [] };
    serveAccess({ dialect, users: [self], self, invitations: [], properties: [berlin] });

    const result = await cli(['access', 'diff', old, '--no-new-access', '--color', 'never'], {
      env: { ...hotels, INNCTL_DIALECT: dialect },
      columns: 100,
    });

    expect(result).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /│ changed │ ANA@example.com │ \* .* mfa .*\n│ lost {4}│ mia@example.com │ BER /,
      ),
      stderr: '1 lost, 1 changed; no new access.\n',
    });
  });
});
