import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import type { Fact } from '../../src/people/access-document.ts';
import { userOf } from '../../src/sandbox/people.ts';
import type { Change } from '../../src/sandbox/records.ts';
import { openStore } from '../../src/sandbox/store.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { documentsOf } from '../helpers/evidence.ts';
import { fc, few } from '../helpers/laws.ts';
import { type Seeding, seedingIn } from '../helpers/seeding.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const PLACES = ['BER', 'MUC', 'VIE'];
const ROLES: Readonly<Record<string, string>> = {
  'HK 1': 'Housekeeping',
  'hk 2': 'Housekeeping',
  Desk: 'FrontDesk',
};

const rulesOf = (domain: string) => `version: 1
domains: [${domain}]
email: Work email
property: Betrieb
until: Exit date
jobs:
  - { when: { Job: Night auditor }, role: Auditor }
  - { when: { Job: HK* }, role: Housekeeping }
  - { when: { Job: desk }, role: FrontDesk }
except: [boss@${domain}]
`;

const HEADER = 'Work E-Mail;Job;Betrieb;Exit Date;Status';

const roles = fc.constantFrom('Housekeeping', 'FrontDesk', 'Auditor');
const places = fc.subarray(PLACES, { minLength: 1 });
const rarely = fc.nat(5).map((number) => number === 0);
const user = fc.record({
  ...{ enabled: fc.boolean(), isAdmin: rarely },
  roles: fc.dictionary(fc.constantFrom(...PLACES), roles),
});
const row = fc.record({
  job: fc.constantFrom('HK 1', 'hk 2', 'Desk', 'Gardener'),
  places: fc.oneof({ weight: 9, arbitrary: places }, { weight: 1, arbitrary: fc.constant<string[]>([]) }),
  until: fc.constantFrom('', '-', '2026-12-31', '20.11.2026', '2026-10-01'),
  status: fc.constantFrom('active', 'Active', 'left'),
});
/** What the account has of somebody, what the file says, and whether an account admin may be changed. */
const person = fc.record({
  user: fc.option(user),
  invitation: fc.option(fc.record({ isAdmin: rarely, properties: places, role: roles })),
  row: fc.option(row),
  isConfirmed: fc.boolean(),
});
const names = fc.constantFrom('ana', 'ben', 'clara', 'david', 'emma', 'boss');
const people = fc.dictionary(names, person, { minKeys: 2 });

type Person = typeof person extends fc.Arbitrary<infer Each> ? Each : never;
type People = Readonly<Record<string, Person>>;

let service: Seeding;

const open = async (dialect: 'contract' | 'apaleo') => {
  service = await seedingIn(dialect, () => NOW);
};

/** Gives an account people besides its own. */
async function plant(all: People, domain: string): Promise<void> {
  const store = await openStore({ folder: join(service.folder, 'service'), seed: 'small', now: () => NOW });
  const changes = Object.entries(all).flatMap(([name, { user: held, invitation }]): Change[] => {
    const email = `${name}@${domain}`;
    const id = `u-${name}-${domain}`;
    const at = held?.isAdmin ? [] : Object.entries(held?.roles ?? {});
    const record = userOf({
      ...{ subject_id: id, first_name: name, last_name: 'Test', email },
      ...{ enabled: held?.enabled === true, is_account_admin: held?.isAdmin === true },
      property_roles: at.map(([place, role]) => ({ id: place, roles: [role] })),
    });
    const { isAdmin = false, properties = [], role = '' } = invitation ?? {};
    const invited = isAdmin ? { properties: [], roles: ['AccountAdmin'] } : { properties, roles: [role] };
    const created = { invited_by: 'ana@aurora.example', created: '2026-11-20T12:00:00Z' };
    const sent = { email, is_account_admin: isAdmin, ...created, ...invited, role: invited.roles[0] };
    return [
      ...(held === null ? [] : [{ put: ['users', id, record] } as const]),
      ...(invitation === null ? [] : [{ put: ['invitations', email, sent] } as const]),
    ];
  });
  await store.write(() => ({ status: 204, changes }));
  await store.close();
}

/** The real transport, which is dead from the answer of one write on; 0: never. */
function dyingAt(last: number): Connect {
  let writes = 0;
  return async (options) => {
    const { close, request } = await connectUndici(options);
    return {
      close,
      request: async (asked) => {
        const isDead = last > 0 && writes >= last;
        if (isDead) throw new WireFailure('refused', 'dead', { sent: false, cause: undefined });
        const answer = await request(asked);
        if (asked.method !== 'GET') writes += 1;
        if (last > 0 && writes >= last)
          throw new WireFailure('refused', 'dead', { sent: true, cause: undefined });
        return answer;
      },
    };
  };
}

/** What a file says of somebody: a role for each property. */
function wanted({ row: own }: Person) {
  const { job = '', places: at = [], until = '', status = '' } = own ?? {};
  const isPresent = status.toLowerCase() === 'active' && !/20\.11|10-01/.test(until);
  const role = isPresent ? ROLES[job] : undefined;
  const access = role === undefined ? {} : Object.fromEntries(at.map((id) => [id, role]));
  return { isPresent, isInGrace: until === '20.11.2026', access };
}

/** Finds what somebody of a domain may do now. */
async function accessOf(domain: string) {
  const { stdout } = await service.innctl('access report --json');
  const facts: readonly Fact[] = JSON.parse(stdout).items;
  const isUsed = ({ state }: Fact) => state !== 'disabled';
  return (name: string) =>
    facts.filter((fact) => fact.email.toLowerCase() === `${name}@${domain}` && isUsed(fact));
}

describe.each(['contract', 'apaleo'] as const)('in the dialect %s', (dialect) => {
  beforeEach(() => open(dialect));

  test('access becomes what the file says but for the list, twice is nothing, a run that dies is finished by the next', {
    timeout: 120_000,
  }, async () => {
    let number = 0;
    const law = fc.asyncProperty(people, fc.nat(6), async (all, dies) => {
      number += 1;
      const domain = `run${number}.example`;
      fc.pre(Object.entries(all).some(([name, each]) => name !== 'boss' && wanted(each).isPresent));
      await plant(all, domain);
      const before = await accessOf(domain);
      const rows = Object.entries(all).flatMap(([name, { row: own }]) => {
        const address = `${name.toUpperCase()}@${domain}`;
        return own ? [address, own.job, own.places.join(', '), own.until, own.status].join(';') : [];
      });
      const file = await service.file(`hr-${number}.csv`, [HEADER, ...rows, ''].join('\n'));
      const rules = await service.file('jobs.yaml', rulesOf(domain));
      const confirmed = Object.keys(all).filter((name) => all[name]?.isConfirmed);
      const flags = '--where Status=ACTIVE --grace 7d --yes --json'.split(' ');
      const line = ['people', 'sync', file, '--jobs', rules, ...flags];
      line.push(...confirmed.flatMap((name) => ['--confirm', `${name}@${domain}`]));
      const dry = await service.innctl([...line, '--dry-run'], { now: NOW });
      service.writes.length = 0;

      const dying = { connect: dyingAt(dies), env: { INNCTL_MAX_ATTEMPTS: '1' }, now: NOW };
      if (dies > 0) await service.innctl(line, dying);
      const done = await service.innctl(line, { now: NOW });
      const sent = service.writes.length;
      const twice = await service.innctl(line, { now: NOW });

      expect([dry, done, twice].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
      expect(service.writes).toHaveLength(sent);
      const [planned, { todo, people: told }, left] = [dry, done, twice].map((each) =>
        JSON.parse(each.stdout),
      );
      expect(left.todo).toEqual(todo);
      if (dies === 0) expect(planned).toMatchObject({ todo, people: told });
      const after = await accessOf(domain);
      for (const [name, each] of Object.entries(all)) {
        const byHand = todo.filter(({ email }: Fact) => email.toLowerCase() === `${name}@${domain}`);
        const listed = byHand.map(({ property }: Fact) => property);
        const { access, isInGrace } = wanted(each);
        const has = after(name);
        if (name === 'boss' || isInGrace || listed.includes('')) {
          expect(has).toEqual(before(name));
          continue;
        }
        const held = has.flatMap(({ property }) => property ?? []);
        expect([name, held.sort()]).toEqual([name, Object.keys(access).sort()]);
        const differing = has.filter(({ property, roles: own }) => own?.join() !== access[property ?? '']);
        expect(listed.sort()).toEqual(differing.map(({ property }) => property).sort());
      }
    });

    await fc.assert(law, few(10));
  });
});

describe('at the small hotels', () => {
  beforeEach(() => open('apaleo'));

  /** All of the account but two people, whom nothing changes. */
  const staff = [
    'clara@aurora.example;Boss;BER;;active',
    'jonas.keller@aurora.example;HK 1;BER;;active',
    'ivan@aurora.example;HK 1;MUC;;active',
    'felix@aurora.example;HK 1;BER;;active',
    'lukas@aurora.example;Night auditor;BER;;active',
    'hanna@aurora.example;Boss;BER;;active',
    'emma@aurora.example;Boss;MUC;;active',
    'ben@aurora.example;Desk;BER,MUC;;active',
    'paul.steiner@aurora.example;Night auditor;VIE;;active',
    'lea.wagner@aurora.example;Desk;MUC,VIE;;active',
    'julia@aurora.example;Boss;VIE;;active',
  ];

  /** Runs a sync with these rows besides the staff. */
  async function sync(rows: readonly string[], more = '', situation: Parameters<Seeding['innctl']>[1] = {}) {
    const file = await service.file('hr.csv', [HEADER, ...staff, ...rows, ''].join('\n'));
    return runOn(file, more, situation);
  }

  async function runOn(file: string, more: string, situation: Parameters<Seeding['innctl']>[1] = {}) {
    const rules = await service.file('jobs.yaml', rulesOf('aurora.example'));
    const words = more.split(' ').filter((word) => word !== '');
    const line = ['people', 'sync', file, '--jobs', rules, ...words];
    const { exitCode, stdout, stderr } = await service.innctl(line, { now: NOW, ...situation });
    return { exitCode, stdout, stderr: stderr.replaceAll(`${service.folder}/`, '') };
  }

  const text = (...lines: readonly string[]) => [HEADER, ...lines].join('\n');
  const cut = text(...staff).slice(0, -12);
  const without = text(...staff.slice(0, 2), ';HK;BER;;', '-;HK;BER;;', ';;BER;;');

  test.each`
    what                               | file                                        | more                              | exit  | reason
    ${'an empty file'}                 | ${''}                                       | ${''}                             | ${2}  | ${'hr.csv has no rows'}
    ${'a header alone'}                | ${text()}                                   | ${''}                             | ${2}  | ${'hr.csv has no rows'}
    ${'a file that is cut'}            | ${cut}                                      | ${''}                             | ${2}  | ${'hr.csv: row 12: has 2 cells, and the header 5'}
    ${'quotes that do not end'}        | ${text('"a@aurora.example;HK 1;BER;;')}     | ${''}                             | ${2}  | ${'hr.csv: row 2'}
    ${'most rows without an address'}  | ${without}                                  | ${''}                             | ${2}  | ${'hr.csv has no address in 3 of 5 rows'}
    ${'no column of the rules'}        | ${'Work email;Betrieb;Exit date\n'}         | ${''}                             | ${2}  | ${'needs one column "Job"'}
    ${'no column of --where'}          | ${undefined}                                | ${'--where Land=AT'}              | ${2}  | ${'needs one column "Land"'}
    ${'no row that --where fits'}      | ${undefined}                                | ${'--where Status=aktiv'}         | ${2}  | ${'hr.csv has no row of somebody who works here'}
    ${'rows that disagree'}            | ${['IVAN@aurora.example;HK 1;BER;;active']} | ${''}                             | ${2}  | ${'hr.csv: row 13: says another role, property or last day than row 4'}
    ${'a wrong address'}               | ${['ivan;HK 1;BER;;active']}                | ${''}                             | ${2}  | ${'hr.csv: row 13: Work email: "ivan" is not an e-mail address'}
    ${'a wrong day'}                   | ${['mia@aurora.example;HK;BER;soon;']}      | ${''}                             | ${2}  | ${'hr.csv: row 13: Exit date: "soon" is not a plain day'}
    ${'an unknown property'}           | ${['mia@aurora.example;HK;BRE;;']}          | ${''}                             | ${2}  | ${'hr.csv: row 13: properties: no property has the id or code "BRE"'}
    ${'more leavers than allowed'}     | ${undefined}                                | ${'--max-leavers 1'}              | ${11} | ${'people sync hr.csv --jobs jobs.yaml --yes --max-leavers 2'}
    ${'no leaver allowed'}             | ${undefined}                                | ${'--max-leavers 0'}              | ${11} | ${'nothing was sent: david@aurora.example, greta@aurora.example.'}
    ${'more than five leavers'}        | ${text(staff[1] ?? '')}                     | ${''}                             | ${11} | ${'--max-leavers 12'}
    ${'the last account admin'}        | ${undefined}                                | ${'--confirm ana@aurora.example'} | ${11} | ${'--allow-lockout'}
    ${'a list that cannot be written'} | ${undefined}                                | ${'--todo /nowhere/todo.csv'}     | ${1}  | ${'Could not write /nowhere/todo.csv'}
  `('$what: nothing is sent', async ({ file, more, exit, reason }) => {
    const typed = `--yes ${more}`;

    const ended = await (typeof file === 'string'
      ? runOn(await service.file('hr.csv', file), typed)
      : sync(file ?? [], typed));

    expect(ended).toMatchObject({ exitCode: exit, stderr: expect.stringContaining(reason) });
    expect(service.writes).toEqual([]);
  });

  test('wrong rules are named with their lines', async () => {
    const rules = rulesOf('aurora.example')
      .replace('[aurora.example]', '["@aurora.example"]')
      .replace('Auditor }', 'AccountAdmin }')
      .replace('[boss@aurora.example]', '[boss]')
      .replace('{ Job: desk }', '{}');
    const file = await service.file('wrong.yaml', rules.replace('property: Betrieb\n', ''));

    const { stderr } = await service.innctl(['people', 'sync', 'hr.csv', '--jobs', file]);

    const [, ...lines] = stderr.split('\n');
    expect(lines.map((line) => line.replace(`${service.folder}/`, '').trim())).toEqual([
      'wrong.yaml: line 1: property: is missing',
      'wrong.yaml: line 2: domains: "@aurora.example" is not a domain: write example.com',
      'wrong.yaml: line 6: jobs.role: gives full access: invite account admins by hand',
      'wrong.yaml: line 8: jobs.when: names no column: {Job: "*"} fits every row',
      'wrong.yaml: line 9: except: "boss" is not an e-mail address',
      'hint: innctl schema jobs prints what rules may have.',
      '',
    ]);
  });

  test('the plan is shown in groups and asked once, evidence and the list are kept; a dry run writes nothing', async () => {
    const rows = [
      'mia@aurora.example;Night Auditor;MUC;;active',
      'karl@aurora.example;Desk;BER;;active',
      'zoe@aurora.example;Gardener;BER;;active',
      ';HK;MUC;;',
      'x@else.example;HK;MUC;;',
    ];
    const todo = join(service.folder, 'todo.csv');
    const evidence = join(service.folder, 'evidence');
    const flags = `--todo ${todo} --evidence ${evidence}`;

    const dry = await sync(rows, `${flags} --dry-run --max-leavers 2`);
    const isWritten = existsSync(todo) || existsSync(evidence) || service.writes.length > 0;
    const { exitCode, stderr } = await sync(rows, flags, { answers: [true], env: { NO_COLOR: '1' } });

    expect({ isWritten, dry: dry.exitCode, exitCode }).toEqual({ isWritten: false, dry: 0, exitCode: 0 });
    const [, shown = ''] = /except\.\n([\s\S]*?)\n1 joins/.exec(stderr) ?? [];
    expect(shown.split('\n').map((line) => line.trim())).toEqual([
      '# Joiners',
      '+ invitation mia@aurora.example: Auditor at MUC',
      '# Movers',
      '~ user karl@aurora.example: enabled: false → true',
      '# Leavers',
      '~ user david@aurora.example: enabled: true → false',
      '~ user greta@aurora.example: enabled: true → false',
      '# To do by hand',
      '! ana@aurora.example: is an account admin',
      ...['clara', 'emma', 'hanna', 'julia'].map((name) => `! ${name}@aurora.example: no job fits`),
      "! karl@aurora.example at BER: ReservationManager, wanted FrontDesk; set the role in the service's web app",
      '! nora.fuchs@aurora.example: is an account admin',
      '# Unchanged',
      '= invitation zoe@aurora.example: no job fits',
    ]);
    expect(stderr).toContain('1 joins, 1 moves, 2 leave, 7 to do by hand, 8 unchanged.');
    expect(await readFile(todo, 'utf8')).toBe(
      [
        'email,property,role_now,role_wanted,reason',
        'ana@aurora.example,,account admin,,is an account admin',
        ...['clara', 'emma', 'hanna', 'julia'].map((name) => `${name}@aurora.example,,,,no job fits`),
        "karl@aurora.example,BER,ReservationManager,FrontDesk,set the role in the service's web app",
        'nora.fuchs@aurora.example,,account admin,,is an account admin',
        '',
      ].join('\n'),
    );
    const kept: readonly { person: { email: string }; job: string }[] = await documentsOf(evidence);
    expect(kept.map(({ person, job }) => `${job} ${person.email}`).sort()).toEqual(
      ['david', 'greta', 'karl', 'mia'].map((name) => `people sync ${name}@aurora.example`),
    );
  });
});
