import { expect, test } from 'vitest';
import { cli, hotels, hotelsOfAurora } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { exempt, serviceCommands } from '../reference/lines.ts';

const CONTROL = 'a\u0007b';
const counts = ['', '0', '-1', '1.5', '1e3', ' 1', 'none', '9'.repeat(20)];
const ids = ['', ' ', 'a/b', 'a\\b', '..', '$count', 'B?R', 'B#R', '%42ER', CONTROL, 'x'.repeat(300)];
const emails = ['', ' ', 'ana', 'a b@example.com', `${'a'.repeat(260)}@example.com`, 'ana@example.com\n'];
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

/** Invalid values of each flag and argument, or of that of one command. */
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
  '--like': ids,
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
  '--max-persons': counts.filter((count) => count !== ' 1'),
  '--rank': ['', '1.5', '1e3', 'none'],
  '--connected': ['', 'DBL', 'DBL=', '=1', 'DBL=x', CONTROL],
  '--connects': texts,
  '--names': ['', '1..', '9..1', CONTROL],
  '--unset': ['', 'nothing', 'name', CONTROL],
  '--add-attribute': texts,
  '--remove-attribute': texts,
  'unit-attributes create --name': texts,
  'unit-attributes create --description': texts,
  'unit-attributes update --description': texts,
  '--kind': ['', 'hotel', 'property,,user', CONTROL],
  '<id>': ids,
  '<email>': emails,
  'people offboard <email>': emails.filter((email) => email !== 'ana'),
  '<subject-id|e-mail>': [...ids, 'ana@', '@example.com'],
  'undo <id>': ['', ' ', 'a b', CONTROL, 'x'.repeat(129)],
  '<properties>': ids,
  '<file>': files,
  '<files>': ['', '/nowhere/hotel.yaml'],
  '<policy>': files,
  '<old>': files,
  '<new>': files,
  '<review>': ['', '/nowhere/hotel.yaml'],
  '<name>': ['', ' ', CONTROL],
  '<profile>': ['', 'a b', CONTROL],
  '<method>': ['', 'FETCH', 'GET POST', '/x'],
  '<path>': [
    ...['', '//evil.example', 'https://evil.example', '/a/../b', '/a/%2e%2e/b', '/a b', '/a#b'],
    ...['/a/%zz', '/a%', '/a%ff', '/a?b=%zz', '/a?b=%c3%28'],
  ],
};

/** Each flag and argument of each command, and the words of a line with this value of it. */
const places = (await serviceCommands()).flatMap(({ command, rest, flags, ...each }) => {
  // The names in a file with entries are looked up even if something else is wrong.
  const words = rest.replace('reference/seed', 'commands/seed').split(' ').filter(Boolean);
  const takesNext = (word = '') => flags.some(({ long, value }) => long === word && value !== undefined);
  const isOption = (word: string, at: number) => word.startsWith('-') || takesNext(words[at - 1]);
  const options = words.filter(isOption);
  const given = words.filter((word, at) => !isOption(word, at));
  const without = (flag: string) => {
    const at = options.indexOf(flag);
    return at === -1 ? options : options.toSpliced(at, takesNext(flag) ? 2 : 1);
  };
  const path = command.split(' ');
  const placed = (name: string) => ({
    command,
    name,
    values: invalid[`${command} ${name}`] ?? invalid[name],
  });
  return [
    ...flags.map(({ long, value }) => ({
      ...placed(long),
      several: value?.several,
      isSwitch: value === undefined,
      line: (word: string) => [...path, ...given, ...without(long), `${long}=${word}`],
    })),
    ...each.arguments.map(({ name, several }, at) => ({
      ...placed(`<${name}>`),
      several,
      isSwitch: false,
      // Without a property a record has only its id.
      line: (word: string) => [...path, ...given.toSpliced(at, 1, word), ...without('--property')],
    })),
  ];
});

onlyIntercepted();

test('there are values for each flag and argument', () => {
  const missing = places.flatMap(({ name, values, isSwitch }) => (isSwitch || values ? [] : [name]));

  expect(new Set(missing)).toEqual(new Set(Object.keys(exempt['bad-input'])));
});

/** Places with the same values share them: each meets four or more, in turn. */
const cases = places.flatMap(({ values = [], several, ...place }, at) => {
  const sharing = places.flatMap((other, index) => (other.values === values ? [index] : []));
  const share = Math.max(4, Math.ceil(values.length / sharing.length));
  const from = (sharing.indexOf(at) * share) % Math.max(values.length, 1);
  const own = [...values.slice(from), ...values.slice(0, from)].slice(0, share);
  return [...own, ...(several === 'commas' && values === ids ? ['BER,,VIE'] : [])].map((value) => ({
    ...place,
    value,
  }));
});

test.each(cases)('$command $name=$value is rejected before any request', async ({ name, line, value }) => {
  const env = { ...hotelsOfAurora, INNCTL_DIALECT: 'apaleo' };
  const { exitCode, stdout, stderr } = await cli(line(value), { env });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^error: /);
  if (name.startsWith('-') && !files.includes(value)) expect(stderr).toContain(name);
});

test.each(places.filter(({ isSwitch }) => isSwitch))(
  '$command $name takes no value',
  async ({ name, line }) => {
    expect(await cli(line('no'), { env: hotels })).toEqual(
      ended(2, expect.stringContaining(`unknown option '${name}=no'`)),
    );
  },
);

test.each((await serviceCommands()).filter((each) => !each.arguments.some(({ isVariadic }) => isVariadic)))(
  '$command rejects further arguments',
  async ({ command, rest }) => {
    expect(await cli(`${command} ${rest} MUC VIE`, { env: hotels })).toEqual(
      ended(2, expect.stringContaining('too many arguments')),
    );
  },
);
