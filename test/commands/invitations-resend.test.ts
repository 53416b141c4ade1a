import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { type Seeding, seeding } from '../helpers/seeding.ts';

const PEOPLE = ['mia@example.com', 'tom@example.com'];
const LINE = `invitations resend ${PEOPLE.join(' ')} --yes --concurrency 1`;

/** The id of a further run. */
const ANOTHER = '22222222-2222-4333-8444-555555555555';

interface Invitation {
  readonly email: string;
  readonly created: string;
}

/** A service with two invitations, of which the faults hit only what comes afterwards. */
async function invitedBy(...faults: readonly string[]) {
  const service = await seeding(...faults);
  const create = (email: string, ...more: readonly string[]) =>
    service.innctl(['invitations', 'create', email, '--role', 'Auditor', '--properties', 'BER,VIE', ...more]);
  for (const email of PEOPLE) expect((await create(email)).exitCode).toBe(0);
  const before = await listed(service);
  service.writes.length = 0;
  return { ...service, before, create };
}

async function listed({ innctl }: Pick<Seeding, 'innctl'>): Promise<ReadonlyMap<string, Invitation>> {
  const { stdout } = await innctl('invitations list --json');
  const items: readonly Invitation[] = JSON.parse(stdout).items;
  return new Map(items.map((item) => [item.email, item]));
}

/** The last lines of the only journal, as states. */
async function journal({ folder }: Seeding): Promise<string> {
  const runs = join(folder, 'config', 'state', 'journal');
  const [name = ''] = (await readdir(runs)).filter((each) => each.endsWith('.ndjson'));
  return readFile(join(runs, name), 'utf8');
}

/** Whether an invitation has the same content, and was made anew. */
async function expectSentAgain(
  service: Seeding & { readonly before: ReadonlyMap<string, Invitation> },
  emails = PEOPLE,
) {
  const after = await listed(service);
  for (const email of emails) {
    const { created: earlier, ...content } = service.before.get(email) ?? { created: '' };
    const { created: later = '', ...now } = after.get(email) ?? {};
    expect(now).toEqual(content);
    expect(later > earlier).toBe(true);
  }
}

const once = (email: string) => [
  `DELETE /api/v1/invitations/${encodeURIComponent(email)}`,
  'POST /api/v1/invitations',
];

describe('invitations resend', () => {
  test('withdraws each invitation right before it invites again with the same content', async () => {
    const service = await invitedBy();

    const { exitCode, stdout } = await service.innctl(LINE);

    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout:
        'done\tcreate\tinvitation\tmia@example.com\t\t\ndone\tcreate\tinvitation\ttom@example.com\t\t\n',
    });
    expect(service.writes).toEqual(PEOPLE.flatMap(once));
    await expectSentAgain(service);
  });

  test('asks at a terminal, shows what is sent, and sends nothing after a no', async () => {
    const service = await invitedBy();

    const { exitCode, stderr } = await service.innctl('invitations resend MIA@example.com', {
      answers: [false],
      env: { NO_COLOR: '1' },
    });

    expect(exitCode).toBe(11);
    expect(stderr).toContain('+ invitation mia@example.com: Auditor at BER, VIE');
    expect(stderr).toContain('is withdrawn first');
    expect(service.writes).toEqual([]);
  });

  test.each([
    ['without consent', 'invitations resend mia@example.com', 11, 'This needs consent'],
    ['in a dry run', 'invitations resend mia@example.com --dry-run', 0, 'Plan: 1 to create.'],
    [
      'for an unknown address',
      'invitations resend mia@example.com eva@example.com --yes',
      3,
      'eva@example.com',
    ],
    ['for a user', 'invitations resend ben@aurora.example --yes', 3, 'ben@aurora.example'],
    ['without an address', 'invitations resend', 2, 'No address was given'],
    ['for no address', 'invitations resend mia --yes', 2, 'email'],
  ])('sends nothing %s', async (_, line, expected, text) => {
    const service = await invitedBy();

    const { exitCode, stderr } = await service.innctl(line);

    expect({ exitCode, stderr }).toEqual({ exitCode: expected, stderr: expect.stringContaining(text) });
    expect(service.writes).toEqual([]);
  });

  test('a repeat is a new run, and sends again', async () => {
    const service = await invitedBy();
    await service.innctl(LINE);

    expect((await service.innctl(LINE, { uuid: ANOTHER })).exitCode).toBe(0);

    expect(service.writes).toHaveLength(8);
  });

  test('an account admin who is invited again gets full access, which is said', async () => {
    const service = await invitedBy();
    await service.innctl('invitations create eva@example.com --is-account-admin --yes');

    const { exitCode, stderr } = await service.innctl('invitations resend eva@example.com');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining('gives full access: 1'),
    });
  });

  test('takes a file of people; rows without an invitation fail alone', async () => {
    const service = await invitedBy();
    const path = await service.file(
      'people.csv',
      'E-Mail\nmia@example.com\neva@example.com\ntom@example.com\n',
    );

    const planned = await service.innctl(`invitations resend --file ${path} --dry-run`);
    const { exitCode, stderr } = await service.innctl(`invitations resend --file ${path} --yes`);

    expect(planned.stderr).toContain(
      'Plan: 2 to create. 1 of 3 rows cannot be done; nothing is sent for it.',
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr: expect.stringContaining(`${path}: row 3: eva@example.com`),
    });
    await expectSentAgain(service);
  });

  test('in the dialect apaleo role and roles go back under the names that they had', async () => {
    const { folder } = await seeding();
    const apaleo = (line: string) =>
      cli(`--sandbox ${line}`, { folder, connect: connectUndici, env: { INNCTL_DIALECT: 'apaleo' } });
    const create = 'invitations create mia@example.com --role FrontOffice --roles Auditor --properties BER';
    expect((await apaleo(create)).exitCode).toBe(0);
    const contents = async () =>
      JSON.parse((await apaleo('invitations list --json')).stdout).items.map(
        ({ created: _, ...content }: Record<string, unknown>) => content,
      );
    const before = await contents();

    expect((await apaleo('invitations resend mia@example.com --yes')).exitCode).toBe(0);

    expect(await contents()).toEqual(before);
  });
});

describe('somebody who cannot be invited again keeps the invitation', () => {
  const user = { subject_id: 'u-7', email: 'Mia@example.com', enabled: true };
  const invitation = { email: 'mia@example.com', role: 'Auditor', properties: ['BER'] };

  test.each<[string, object, object, string]>([
    ['is a user too', [user], [invitation], 'has a user already'],
    ['has two invitations', [], [invitation, invitation], 'has 2 invitations'],
    ['has no access', [], [{ email: invitation.email }], 'gives nothing'],
    [
      'has several roles, in the contract',
      [],
      [{ ...invitation, roles: ['Auditor', 'FrontDesk'] }],
      'has several roles',
    ],
    ['has a property that is gone', [], [{ ...invitation, properties: ['BER', 'OLD'] }], 'are gone: OLD'],
  ])('who %s', async (_, users, invitations, reason) => {
    const service = await invitedBy();
    const answers: Record<string, object> = { '/api/v1/users': users, '/api/v1/invitations': invitations };

    const { exitCode, stderr } = await service.innctl('invitations resend mia@example.com --yes', {
      instead: (path) => {
        const { [path]: items } = answers;
        return items && { status: 200, body: JSON.stringify({ items }) };
      },
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 9, stderr: expect.stringContaining(reason) });
    expect(service.writes).toEqual([]);
  });

  test.each(['users', 'invitations', 'properties'])(
    'if the list of %s is not whole: exit 1',
    async (list) => {
      const service = await invitedBy();

      const { exitCode, stderr } = await service.innctl('invitations resend mia@example.com --yes', {
        instead: (path) =>
          path.endsWith(list)
            ? {
                status: 200,
                body: '{"count":9,"items":[{"email":"x@example.com","subject_id":"7","id":"7","name":"x"}]}',
              }
            : undefined,
      });

      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining('the service counts 9'),
      });
      expect(service.writes).toEqual([]);
    },
  );
});

describe('one mail each, and none is lost, despite the fault', () => {
  test.each([
    'drop-before:operation=deleteInvitation,nth=1',
    'drop-after:operation=deleteInvitation,nth=1',
    '429:operation=deleteInvitation,nth=1,retry-after=0',
    'drop-after:operation=createInvitation,nth=3',
    '429:operation=createInvitation,nth=3,retry-after=0',
    '503:operation=createInvitation,nth=3,retry-after=0',
  ])('%s', async (fault) => {
    const service = await invitedBy(fault);

    let result = await service.innctl(LINE);
    if (result.exitCode === 8) result = await service.innctl(LINE);

    expect(result.exitCode).toBe(0);
    expect((await service.invited()).filter((email) => PEOPLE.includes(email)).toSorted()).toEqual(PEOPLE);
    await expectSentAgain(service);
  });
});

test('an interruption waits for both requests of an invitation, and withdraws no other', async () => {
  const service = await invitedBy();
  const soft = new AbortController();

  const { exitCode } = await service.innctl(LINE, {
    signal: soft.signal,
    onWrite: ({ method }) => method === 'DELETE' && soft.abort(new Interruption('SIGINT')),
  });

  expect(exitCode).toBe(130);
  expect(service.writes).toEqual(once('mia@example.com'));
  expect((await service.innctl(LINE)).exitCode).toBe(0);
  expect(service.writes).toEqual(PEOPLE.flatMap(once));
});

describe('an invitation that is withdrawn and not sent again', () => {
  const once429 = `${LINE} --max-attempts 1`;

  test('is told with its reason, kept in the journal, and sent by the same command', async () => {
    const service = await invitedBy('429:operation=createInvitation,nth=3');

    const first = await service.innctl(once429);
    const kept = await journal(service);
    const second = await service.innctl(LINE);

    expect({ exitCode: first.exitCode, stderr: first.stderr }).toEqual({
      exitCode: 7,
      stderr: expect.stringContaining(
        'mia@example.com: The invitation is withdrawn, and was not sent again: ',
      ),
    });
    expect(kept).toContain('"after":{"email":"mia@example.com","properties":["BER","VIE"]');
    expect({ exitCode: second.exitCode, stdout: second.stdout }).toEqual({
      exitCode: 0,
      stdout: 'done\tcreate\tinvitation\tmia@example.com\t\t\ndone\tsame\tinvitation\ttom@example.com\t\t\n',
    });
    await expectSentAgain(service);
    expect(service.writes).toEqual([...PEOPLE.flatMap(once), 'POST /api/v1/invitations']);
  });

  test('is found by another command line, too, and others are warned of', async () => {
    const service = await invitedBy('429:operation=createInvitation,nth=3');
    await service.innctl(once429);

    const other = await service.innctl('invitations resend tom@example.com --yes');
    const same = await service.innctl('invitations resend mia@example.com --yes');

    expect(other.stderr).toContain(
      'warning: An earlier run withdrew 1 invitation without sending again: innctl invitations resend mia@example.com',
    );
    expect(same.exitCode).toBe(0);
    await expectSentAgain(service);
  });

  test.each(['500', 'drop-before'])(
    'is sent again although its mail may be under way, which is said: %s',
    async (fault) => {
      const service = await invitedBy(`${fault}:operation=createInvitation,nth=3`);

      const first = await service.innctl(LINE);
      const second = await service.innctl(LINE);

      expect([first.exitCode, second.exitCode]).toEqual([8, 0]);
      expect(first.stderr).toContain('\nhint: innctl invitations resend mia@example.com --yes\n');
      expect(second.stderr).toContain('warning: A second mail is possible: mia@example.com.\n');
      await expectSentAgain(service);
    },
  );

  test('is done if the person has accepted it meanwhile', async () => {
    const service = await invitedBy('429:operation=createInvitation,nth=3');
    await service.innctl(once429);

    const { exitCode, stdout } = await service.innctl(LINE, {
      instead: (path) =>
        path === '/api/v1/users'
          ? { status: 200, body: '{"items":[{"subject_id":"u-7","email":"mia@example.com"}]}' }
          : undefined,
    });

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('done\tsame') });
  });
});
