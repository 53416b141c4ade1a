import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cli, hotels, hotelsOfAurora } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { environmentOf } from '../reference/lines.ts';

/** An empty, valid manifest. */
const SEED = 'test/commands/seed.yaml';

/** A valid review. */
const REVIEW = 'test/commands/review.csv';

/** A valid table of staff, with rules. */
const STAFF = 'test/reference/staff.csv';

/** Valid arguments of each command that uses the service, to which a test adds one invalid value. */
const validArguments: Readonly<Record<string, readonly string[]>> = {
  'invitations list': [],
  'invitations create': ['ana@example.com'],
  'invitations delete': ['ana@example.com', '--yes'],
  'invitations resend': ['ana@example.com'],
  'people offboard': ['ana@example.com'],
  'people sync': [STAFF, '--jobs', 'test/reference/jobs.yaml', '--yes'],
  'access report': [],
  'access apply': [REVIEW, '--yes'],
  'access review start': ['2026-H2'],
  'access review close': ['test/reference/review'],
  'unit-groups list': [],
  'units list': [],
  'units count': [],
  'people onboard': ['ana@example.com', '--role', 'Housekeeping', '--properties', 'BER'],
  'roles list': [],
  'users list': [],
  'users get': ['u-1'],
  'users me': [],
  'users update': ['u-1', '--enable'],
  'users grant': ['u-1', '--property', 'BER'],
  'users revoke': ['u-1', '--property', 'BER'],
  'properties list': [],
  'properties get': ['BER'],
  'properties exists': ['BER'],
  'properties count': [],
  'properties create': [],
  'properties update': ['BER'],
  'properties clone': ['BER', '--code', 'KIE'],
  'properties set-live': ['BER', '--confirm', 'BER'],
  'properties archive': ['BER', '--confirm', 'BER'],
  'properties reset': ['BER', '--confirm', 'BER'],
  'properties delete': ['BER', '--confirm', 'BER'],
  'countries list': [],
  plan: [SEED],
  drift: [SEED],
  apply: [SEED, '--yes'],
  export: [],
  whoami: [],
  api: ['POST', '/x'],
};

/** Commands that accept any number of files. */
const fileCommands = ['plan', 'apply', 'drift'];

const CONTROL = 'a\u0007b';
const counts = ['', '0', '-1', '1.5', '1e3', ' 1', 'none', '9'.repeat(20)];
const ids = [
  '',
  ' ',
  'BER,,VIE',
  'a/b',
  'a\\b',
  '..',
  '$count',
  'B?R',
  'B#R',
  '%42ER',
  CONTROL,
  'x'.repeat(300),
];
const texts = ['', ' ', CONTROL, '\u202eb', 'x'.repeat(1_001)];
const files = ['', '/nowhere/hotel.yaml', '/'];
const pointers = ['x', 'name/de', '/~2', '/x~'];
const times = [
  '',
  '25:00:00',
  '15:60:00',
  '13:00 PM',
  '24:00',
  '15',
  '3 in the afternoon',
  '15:00:00Z',
  '１５:００:００',
];

/** Invalid values of each flag that takes a value. */
const invalid: Readonly<Record<string, readonly string[]>> = {
  '--limit': counts,
  '--page-number': counts,
  '--page-size': counts,
  '--param': ['', 'status', '=Live', '1st=x', 'a b=c'],
  '--property-id': ids,
  '--property-ids': ids,
  '--property': ids,
  '--properties': ids,
  '--add-properties': ids,
  '--set-properties': ids,
  '--remove-properties': ids,
  '--file': files,
  '--email': ['', 'ben', 'ben@', '@example.com', 'b n@example.com', 'ben@example.com'],
  'users list --email': ['', 'ben', 'ben@', '@example.com', 'b n@example.com', CONTROL],
  '--role': ['', ' ', CONTROL, 'x'.repeat(101)],
  '--roles': ['', ' ', 'Auditor,', CONTROL, 'x'.repeat(101)],
  '--first-name': texts,
  '--last-name': texts,
  '--is-account-admin': ['', 'yes', '1', 'False', CONTROL],
  '--enabled': ['', 'yes', 'no', '1', 'TRUE', CONTROL],
  '--is-template': ['', 'yes', '1', 'False', CONTROL],
  '--sort': ['', ',', 'email,', 'phone', 'email:', 'email:up', 'email:asc:desc', 'email,email', CONTROL],
  '--patch': [
    ...files,
    ...['[', '[]', '[{"op":"add","path":"/x","value":1e999}]'],
    ...pointers.map((path) => JSON.stringify([{ op: 'remove', path }])),
  ],
  '--languages': ['', 'english', 'EN', 'en,all', 'en,,de', CONTROL],
  '--expand': ['', 'unit groups', 'unitGroups,', CONTROL],
  'people onboard --like': ['', 'anna', 'anna@', CONTROL],
  '--at': ids,
  '--evidence': [''],
  '--approved-by': texts,
  '--to': ['', ' ', CONTROL, 'test/reference'],
  '--by': ['', 'role', CONTROL],
  '--reason': ['it is for the evidence'],
  '--ticket': ['it is for the evidence'],
  '--like': ids.filter((id) => id !== 'BER,,VIE'),
  '--idempotency-key': ['', ' ', 'a b', 'clé', 'x'.repeat(256)],
  '--name': ['', 'Grand Hotel', 'en=', '=Grand', 'english=Grand', 'EN=Grand', `en=${CONTROL}`],
  '--code': texts,
  '--company-name': texts,
  '--commercial-register-entry': texts,
  '--tax-id': texts,
  '--address-line1': texts,
  '--postal-code': texts,
  '--city': texts,
  '--country-code': ['', 'UK', 'EU', 'ZZ', 'de', 'DEU'],
  '--time-zone': ['', 'Berlin', 'europe/berlin', '+01:00', 'Mars/Base'],
  '--default-check-in-time': times,
  '--default-check-out-time': times,
  '--currency-code': ['', 'EURO', 'eur', 'XXX'],
  '--payment-terms': ['', 'On arrival', 'en=', '=Cash', 'english=Cash', 'EN=Cash', `en=${CONTROL}`],
  '--description': ['', 'At the harbour', 'en=', '=Quiet', 'english=Quiet', 'EN=Quiet', `en=${CONTROL}`],
  '--managing-directors': texts,
  '--address-line2': texts,
  '--region-code': ['', 'Bavaria', 'de-by', 'DE-', 'DE-BAYERN', CONTROL],
  '--iban': texts,
  '--bic': texts,
  '--bank': texts,
  '--status': ['', 'Open', 'Test,,Live', 'Live,Archived', CONTROL],
  '--raw-field': ['', 'x', '=1', 'a[=1', 'a]b[=1'],
  '--field': ['', 'x', '=1', 'a={', 'a=1e999', 'a=@/nowhere', 'a=12345678901234567890'],
  '--input': files,
  '--older-than': ['', ' ', '30', '0d', '-1d', '1.5d', '1m', '30 d', '100000d', '３d', CONTROL],
  '--concurrency': [...counts, '65'],
  '--max-rps': ['', '0', '-1', '1e3', '1001', 'none', 'Infinity'],
  '--max-changes': counts.filter((count) => count !== '0'),
  '--allow-lockout': ['', ' ', 'ana@', '@example.com', 'ana@example.com,', 'a/b', CONTROL],
  '--max-deletes': counts.filter((count) => count !== '0'),

  '--jobs': files,
  '--where': ['', 'Status', '=active', 'Status=', CONTROL],
  '--max-leavers': counts.filter((count) => count !== '0'),
  '--grace': ['', '7', '0d', '-1d', '1m', CONTROL],
  '--todo': ['', '-', 'todo.txt'],
  'people sync --confirm': ['', 'ana', 'ana@', CONTROL],
  '--plan': files,
  '--ignore': files,
  '--scope': ['', 'hotels', 'All'],
  'drift --policy': files,
  '--map-rest': ['', 'all'],
  '--people-as': ['', 'guests'],
  '--header-row': ['', '0', 'two', '1.5'],
  '--map': ['', ' ', 'Ort', '=city', '= =city', CONTROL, 'Ort=qqqqqq', 'Ort=name'],
  '--journal': ['', ' ', '-', '/'],
  '--run-id': ['', ' ', 'a b', CONTROL, 'ü', 'x'.repeat(129)],
  '--progress': ['', 'dots', 'BAR'],
  'unit-groups list --property': ids.filter((id) => id !== 'BER,,VIE'),
  'units list --property': ids.filter((id) => id !== 'BER,,VIE'),
  'units count --property': ids.filter((id) => id !== 'BER,,VIE'),
  '--group': ids,
  '--attribute': texts,
  '--occupied': ['', 'yes', CONTROL],
  '--maintenance': ['', 'Broken', CONTROL],
  '--condition': ['', 'clean', CONTROL],
  '--search': texts,
  'units list --status': ['', 'Test', CONTROL],
  'units count --status': ['', 'Test', CONTROL],
  '--type': ['', 'Room', CONTROL],
  '--user': ['', ' ', 'a/b', 'a/b@example.com', CONTROL],
  '--invitation-days': counts,
  '--html': ['', ' ', '/'],
  '--policy': ['', 'it needs --html'],
  '--kind': ['', 'hotel', 'property,,user', CONTROL],
};

/** Flags that the dialect contract lacks: their values are tested in the dialect apaleo. */
const beyondContract = new Set([
  ...['--payment-terms', '--description', '--managing-directors', '--address-line2', '--region-code'],
  ...['--iban', '--bic', '--bank', '--status', 'properties list --country-code'],
  ...['--sort', '--roles', 'properties list --expand', '--is-template'],
  ...['--first-name', '--last-name', '--is-account-admin'],
]);

/** Flags whose invalid values are reported as missing consent, with another exit code. */
const consentFlags = [
  'people offboard --confirm',
  'users update --confirm',
  'properties set-live --confirm',
  'properties archive --confirm',
  'properties reset --confirm',
  'properties delete --confirm',
  'api --confirm',
];

const surface = readFileSync('docs/surface.txt', 'utf8').split('\n');

const flags = Object.keys(validArguments).flatMap((command) =>
  surface.flatMap((line) => {
    const flag = new RegExp(`^innctl ${command} (?:-\\w, )?(--[\\w-]+)( [<[])?`).exec(line);
    return flag === null ? [] : [{ command, flag: flag[1] ?? '', takesValue: flag[2] !== undefined }];
  }),
);

const line = (command: string, ...more: readonly string[]) => [
  ...command.split(' '),
  ...(validArguments[command] ?? []),
  ...more,
];

onlyIntercepted();

const valuesFor = (command: string, flag: string) => invalid[`${command} ${flag}`] ?? invalid[flag] ?? [''];

describe('an invalid value is rejected before any request', () => {
  const cases = flags
    .filter(({ command, flag, takesValue }) => takesValue && !consentFlags.includes(`${command} ${flag}`))
    .flatMap(({ command, flag }) => valuesFor(command, flag).map((value) => ({ command, flag, value })));

  test('the table has values for every flag', () => {
    expect(flags.filter(({ flag, takesValue }) => takesValue && invalid[flag] === undefined)).toEqual([
      { command: 'people offboard', flag: '--confirm', takesValue: true },
      { command: 'people sync', flag: '--confirm', takesValue: true },
      { command: 'users update', flag: '--confirm', takesValue: true },
      { command: 'properties set-live', flag: '--confirm', takesValue: true },
      { command: 'properties archive', flag: '--confirm', takesValue: true },
      { command: 'properties reset', flag: '--confirm', takesValue: true },
      { command: 'properties delete', flag: '--confirm', takesValue: true },
      { command: 'api', flag: '--confirm', takesValue: true },
    ]);
  });

  test.each(cases)('$command $flag=$value', async ({ command, flag, value }) => {
    const env = {
      ...hotelsOfAurora,
      ...([flag, `${command} ${flag}`].some((name) => beyondContract.has(name))
        ? { INNCTL_DIALECT: 'apaleo' }
        : environmentOf(command)),
    };
    const { exitCode, stdout, stderr } = await cli(line(command, `${flag}=${value}`), { env });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toContain('needs dialect');
  });
});

test.each(flags.filter(({ takesValue }) => !takesValue))(
  '$command $flag takes no value',
  async ({ command, flag }) => {
    expect(await cli(line(command, `${flag}=no`), { env: hotels })).toEqual(
      ended(2, expect.stringContaining(`unknown option '${flag}=no'`)),
    );
  },
);

/** Their further arguments are files, properties, or references. */
const variadic = [
  ...[...fileCommands, 'invitations create', 'invitations delete', 'invitations resend'],
  ...['people onboard', 'people offboard', 'access apply'],
  ...['users get', 'users update', 'users grant', 'users revoke', 'users enable', 'users disable'],
  ...['properties get', 'properties update', 'properties delete'],
  ...['properties set-live', 'properties archive', 'properties reset'],
];

test.each(Object.keys(validArguments).filter((command) => !variadic.includes(command)))(
  '%s rejects further arguments',
  async (command) => {
    expect(await cli(line(command, 'MUC', 'VIE'), { env: hotels })).toEqual(
      ended(2, expect.stringContaining('too many arguments')),
    );
  },
);

describe('an invalid argument is rejected before any request', () => {
  const emails = ['', ' ', 'ana', 'a b@example.com', `${'a'.repeat(260)}@example.com`, 'ana@example.com\n'];
  const cases: Readonly<
    Record<string, { readonly values: readonly string[]; readonly more: readonly string[] }>
  > = {
    'invitations create': { values: [...emails, '@example.com', 'ana@', 'ana@-.com'], more: [] },
    'invitations delete': { values: emails, more: ['--yes'] },
    'users get': { values: [...ids, 'ana@'], more: [] },
    'users update': { values: [...ids, '@example.com'], more: ['--enable'] },
    'properties get': { values: ids, more: [] },
    'properties exists': { values: ids, more: [] },
    'properties update': { values: ids, more: ['--city', 'Berlin'] },
    'properties clone': { values: ids, more: ['--code', 'KIE'] },
    'properties set-live': { values: ids, more: ['--confirm', 'BER'] },
    'properties archive': { values: ids, more: ['--confirm', 'BER'] },
    'properties reset': { values: ids, more: ['--confirm', 'BER'] },
    'properties delete': { values: ids, more: ['--confirm', 'BER'] },
    api: { values: ['', 'FETCH', 'GET POST', '/x'], more: ['/x'] },
    'api GET': {
      values: [
        ...['', '//evil.example', 'https://evil.example', '/a/../b', '/a/%2e%2e/b', '/a b', '/a#b'],
        ...['/a/%zz', '/a%', '/a%ff', '/a?b=%zz', '/a?b=%c3%28'],
      ],
      more: [],
    },
  };

  test.each(
    Object.entries(cases).flatMap(([command, { values, more }]) =>
      values.filter((value) => !(value === 'BER,,VIE')).map((value) => ({ command, value, more })),
    ),
  )('$command $value', async ({ command, value, more }) => {
    const env = { ...hotels, ...environmentOf(command) };
    const { exitCode, stdout } = await cli([...command.split(' '), value, ...more], { env });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});
