import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { against } from '../helpers/misbehaving.ts';
import { type Desk, type Edit, editing, openDesk, replacing, UUID } from './edit-harness.ts';

const EDIT = '--sandbox properties edit BER';
const renamed = replacing(['de: Grandhotel Berlin', 'de: Grandhotel am Markt']);

const difference = [
  '--- property BER, as it is',
  '+++ property BER, as edited',
  '@@ -1,6 +1,6 @@',
  ' name:',
  '   en: Grand Hotel Berlin',
  '-  de: Grandhotel Berlin',
  '+  de: Grandhotel am Markt',
  ' description:',
  '   en: At the Gendarmenmarkt',
  '   de: Am Gendarmenmarkt',
  '',
].join('\n');

const pathAt = ({ folder }: Desk) => join(folder, 'state', 'edits', `property-BER-${UUID}.yaml`);

const keptHint = (desk: Desk, line = EDIT) =>
  `Your text is kept; to continue: innctl ${line} --file ${pathAt(desk)}`;

/** The patch operations that a dry run shows. */
const stepsIn = (stdout: string) => JSON.parse(stdout).requests[0].body;

test('a property is opened as YAML, with read-only fields as comments at the top', async () => {
  await using desk = await openDesk();
  const texts: string[] = [];
  const editor = editing((text) => {
    texts.push(text);
    return text;
  });

  const result = await desk.innctl(EDIT, { editor, now: Date.parse('2026-03-01T12:00:00Z') });

  expect(result).toEqual({ exitCode: 0, stdout: '', stderr: 'Nothing was changed in property BER.\n' });
  expect(texts).toEqual([expect.stringContaining('\n# id: BER\n# code: BER\n# time_zone: Europe/Berlin\n')]);
  expect(texts[0]).toMatch(/^# Property BER \(the sandbox\)\.\n/);
  expect(texts[0]?.split('\n\n')[1]).toMatch(
    /^name:\n {2}en: Grand Hotel Berlin\n {2}de: Grandhotel Berlin\n/,
  );
  expect(await desk.kept()).toEqual([]);
});

test('the country is read-only in the dialect apaleo: a comment says so, and a change is rejected', async () => {
  await using desk = await openDesk();
  const editor = editing((text) => {
    expect(text).toContain('# location.country_code is fixed once the property is created.\n');
    return replacing(['country_code: DE', 'country_code: AT'])(text);
  });

  const result = await desk.innctl(`${EDIT} --yes`, { editor, env: { INNCTL_DIALECT: 'apaleo' } });

  expect(result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^error: location\.country_code: is fixed once the property is created \(line/,
    ),
  });
});

test('a change is shown as a diff, and sent with --yes', async () => {
  await using desk = await openDesk();

  const result = await desk.innctl(`${EDIT} --yes`, { editor: editing(renamed) });

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `${difference}Updated property BER: confirmed.\n`,
  });
  expect(await desk.stored('properties', 'BER')).toMatchObject({ name: { de: 'Grandhotel am Markt' } });
  expect(await desk.kept()).toEqual([]);
});

test('prompts before the change is sent', async () => {
  await using desk = await openDesk();

  const result = await desk.innctl(EDIT, { editor: editing(renamed), answers: [true] });

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringMatching(
      /^This will be sent to 127\S+ \(profile sandbox\):\n--- property BER, [\s\S]*\nUpdated property BER: confirmed\.\n$/,
    ),
  });
});

test.each([
  { answers: [false], says: 'error: Nothing was done.\n' },
  {
    answers: undefined,
    says: `error: This needs consent: Send this change to property BER?\nhint: To consent: innctl ${EDIT} --yes\n`,
  },
])('without consent ($answers) nothing is sent, and the text is kept', async ({ answers, says }) => {
  await using desk = await openDesk();
  const situation = answers === undefined ? {} : { answers };

  const { exitCode, stderr } = await desk.innctl(EDIT, { ...situation, editor: editing(renamed) });

  const prefix = says.includes('hint') ? '' : 'hint: ';
  expect({ exitCode, stderr: stderr.replace(/^This will be sent to .*\n/, '') }).toEqual({
    exitCode: 11,
    stderr: `${difference}${says}${prefix}${keptHint(desk)}\n`,
  });
  expect(readFileSync(pathAt(desk), 'utf8')).toContain('de: Grandhotel am Markt');
  expect(await desk.stored('properties', 'BER')).toMatchObject({ name: { de: 'Grandhotel Berlin' } });
});

describe('the patch contains only the changes, at the paths of the contract', () => {
  test.each([
    {
      edit: replacing(['postal_code: "10117"', 'postal_code: 01067'], ['city: Berlin', 'city: NO']),
      steps: [
        { op: 'replace', path: '/location/postalCode', value: '01067' },
        { op: 'replace', path: '/location/city', value: 'NO' },
      ],
    },
    {
      edit: replacing(['  en: At', '  fr: "À la place"\n  en: At'], ['  de: Am Gendarmenmarkt\n', '']),
      steps: [
        { op: 'remove', path: '/description/de' },
        { op: 'add', path: '/description/fr', value: 'À la place' },
      ],
    },
    {
      edit: (text: string) => `${text}default_check_in_time: 16:00:00\n`,
      steps: [{ op: 'replace', path: '/defaultCheckInTime', value: '16:00:00' }],
    },
    {
      edit: replacing(['tax_id: DE811569869', 'tax_id: 1e3'], ['managing_directors: Ana Lindner\n', '']),
      steps: [
        { op: 'remove', path: '/managingDirectors' },
        { op: 'replace', path: '/taxId', value: '1e3' },
      ],
    },
    {
      edit: replacing(
        ['  en: Grand Hotel Berlin\n', ''],
        ['Grandhotel Berlin\n', 'Grandhotel\n  en: Grand Hotel Berlin\n'],
      ),
      steps: [{ op: 'replace', path: '/name/de', value: 'Grandhotel' }],
    },
  ])('$steps', async ({ edit, steps }) => {
    await using desk = await openDesk();

    const { exitCode, stdout } = await desk.innctl(`${EDIT} --dry-run --json`, { editor: editing(edit) });

    expect({ exitCode, steps: stepsIn(stdout) }).toEqual({ exitCode: 0, steps });
    expect(await desk.kept()).toEqual([`property-BER-${UUID}.yaml`]);
  });
});

test.each<[string, Edit]>([
  ['is empty', () => ''],
  ['is blank', () => ' \n\n'],
  ['has only comments', (text) => text.split('\n\n')[0] ?? ''],
  ['has only an empty document', () => '---\n'],
  ['has other comments', (text) => `# for Ana\n${text}`],
  [
    'has its fields in another order',
    (text) => `${text.replace('tax_id: DE811569869\n', '')}tax_id: DE811569869\n`,
  ],
  [
    'has another quoting style',
    replacing(['company_name: Grandhotel Berlin GmbH', 'company_name: "Grandhotel Berlin GmbH"']),
  ],
  [
    'repeats read-only fields with their values',
    replacing(['# id: BER', 'id: BER'], ['# is_template: false', 'is_template: false']),
  ],
  ['has CRLF line endings', (text) => text.replaceAll('\n', '\r\n')],
])('a text that %s sends nothing', async (_what, edit) => {
  await using desk = await openDesk();

  expect(await desk.innctl(`${EDIT} --yes --json`, { editor: editing(edit) })).toEqual({
    exitCode: 0,
    stdout: '{\n  "id": "BER",\n  "updated": false\n}\n',
    stderr: '',
  });
  expect(await desk.kept()).toEqual([]);
});

test('JSON output reports the update without a diff', async () => {
  await using desk = await openDesk();

  const result = await desk.innctl(`${EDIT} --yes --json --no-verify`, { editor: editing(renamed) });

  expect(result).toEqual({ exitCode: 0, stdout: '{\n  "id": "BER",\n  "updated": true\n}\n', stderr: '' });
});

describe('an invalid text', () => {
  const invalid = replacing(
    ['de: Grandhotel Berlin', 'deutsch: "Grand\\u0007hotel"'],
    ['country_code: DE', 'country_code: Germany'],
    ['tax_id: DE811569869', 'tax_id:'],
    ['company_name', 'compani_name'],
    ['# currency_code: EUR', 'currency_code: USD'],
    ['payment_terms:', 'stars: 5\npayment_terms:'],
  );
  const details = [
    {
      field: 'currency_code',
      reason: 'is fixed once the property is created (line 12)',
    },
    { field: 'company_name', reason: 'must not be missing: every property needs it' },
    {
      field: 'compani_name',
      reason: 'is not a known field; did you mean company_name? (line 24)',
    },
    {
      field: 'stars',
      reason:
        'is not a known field; to send it anyway: innctl --sandbox properties update BER --add /stars=JSON (line 37)',
    },
    {
      field: 'name.deutsch',
      reason: expect.stringMatching(/^"deutsch" is not a language code .* \(line 20\)$/),
    },
    { field: 'tax_id', reason: 'must be a text, in quotes (line 27)' },
    { field: 'location.country_code', reason: expect.stringMatching(/^"Germany" .* \(line 32\)$/) },
  ];

  test('is reported with every error and its line, and kept', async () => {
    await using desk = await openDesk();

    const { exitCode, stdout, stderr } = await desk.innctl(`${EDIT} --yes --json`, {
      editor: editing(invalid),
    });

    expect({ exitCode, stdout, error: JSON.parse(stderr).error }).toMatchObject({
      exitCode: 2,
      stdout: '',
      error: { code: 'invalid_input', details, hint: keptHint(desk) },
    });
    expect(JSON.parse(stderr).error.details).toHaveLength(details.length);
  });

  test('can be edited again after a prompt', async () => {
    await using desk = await openDesk();
    const editor = editing(
      replacing(['de: Grandhotel Berlin', 'de: ""']),
      replacing(['de: ""', 'de: Haus Berlin']),
    );

    const { exitCode, stderr } = await desk.innctl(EDIT, { editor, answers: [true, true] });

    expect({
      exitCode,
      isReported: stderr.startsWith('warning: name.de: must not be empty (line 20)\n'),
    }).toEqual({
      exitCode: 0,
      isReported: true,
    });
    expect(await desk.stored('properties', 'BER')).toMatchObject({ name: { de: 'Haus Berlin' } });
    expect(await desk.kept()).toEqual([]);
  });

  test('is not sent if the prompt to edit it again is declined', async () => {
    await using desk = await openDesk();

    const { exitCode, stderr } = await desk.innctl(EDIT, {
      editor: editing(() => 'name: ['),
      answers: [false],
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining(`error: Nothing was sent to property BER.\nhint: ${keptHint(desk)}\n`),
    });
  });

  test('is sent with --no-validate', async () => {
    await using desk = await openDesk();
    const edit = replacing(['payment_terms:', 'stars: 5\npayment_terms:'], ['city: Berlin', 'city: ""']);

    const { stdout } = await desk.innctl(`${EDIT} --no-validate --dry-run --json`, { editor: editing(edit) });

    expect(stepsIn(stdout)).toEqual([
      { op: 'replace', path: '/location/city', value: '' },
      { op: 'add', path: '/stars', value: 5 },
    ]);
  });

  test('rejected by the service is kept', async () => {
    await using desk = await openDesk();
    const edit = replacing(['company_name: Grandhotel Berlin GmbH\n', '']);

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes --json --no-validate`, {
      editor: editing(edit),
    });

    expect({ exitCode, error: JSON.parse(stderr).error }).toMatchObject({
      exitCode: 6,
      error: { status: 422, hint: keptHint(desk, `${EDIT} --no-validate`) },
    });
  });
});

describe('a value of another type than in the record', () => {
  onlyIntercepted();

  const line = 'properties edit BER --dry-run --json';
  const env = { ...hotels, EDITOR: 'ed' };
  const path = '/inventory/v1/properties/BER';
  const answering = (times: number) =>
    nock('https://api.example.com')
      .get(path)
      .query(true)
      .times(times)
      .reply(200, { id: 'BER', stars: 4, rooms: 12, isOpen: true });
  const edit = replacing(['stars: 4', 'stars: five'], ['rooms: 12', 'rooms: "0x1F"'], ['true', 'maybe']);

  test('is rejected', async () => {
    answering(1);

    const { exitCode, stderr } = await cli(line, { env, editor: editing(edit) });

    expect({ exitCode, details: JSON.parse(stderr).error.details }).toEqual({
      exitCode: 2,
      details: [
        { field: 'stars', reason: expect.stringMatching(/^must be a number that can be sent exactly /) },
        { field: 'rooms', reason: expect.stringMatching(/^must be a number that can be sent exactly /) },
        { field: 'isOpen', reason: expect.stringMatching(/^must be true or false /) },
      ],
    });
  });

  test('is sent with --no-validate', async () => {
    answering(2);

    const { exitCode, stdout } = await cli(`${line} --no-validate`, { env, editor: editing(edit) });

    expect({ exitCode, steps: stepsIn(stdout) }).toEqual({
      exitCode: 0,
      steps: [
        { op: 'replace', path: '/stars', value: 'five' },
        { op: 'replace', path: '/rooms', value: '0x1F' },
        { op: 'replace', path: '/isOpen', value: 'maybe' },
      ],
    });
  });

  test.each(['12345678901234567890', '007', '0x1F', '.inf', '1e999'])(
    'is rejected even then if it is a number that JSON cannot represent: %s',
    async (number) => {
      answering(1);

      const { exitCode, stderr } = await cli(`${line} --no-validate`, {
        env,
        editor: editing(replacing(['stars: 4', `stars: ${number}`])),
      });

      expect({ exitCode, details: JSON.parse(stderr).error.details }).toEqual({
        exitCode: 2,
        details: [
          { field: 'stars', reason: expect.stringMatching(/^must be a number that can be sent exactly /) },
        ],
      });
    },
  );
});

test('a concurrent change of any field is a conflict, and nothing is sent', async () => {
  await using desk = await openDesk();
  const meanwhile = async (text: string) => {
    await desk.innctl('--sandbox properties update BER --tax-id DE1');
    return renamed(text);
  };

  const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes --json`, { editor: editing(meanwhile) });

  expect({ exitCode, error: JSON.parse(stderr).error }).toEqual({
    exitCode: 6,
    error: {
      code: 'changed_meanwhile',
      message: 'Somebody else changed property BER meanwhile (tax_id); nothing was sent.',
      hint: `Edit it as it is now: innctl ${EDIT} --yes --json\n${keptHint(desk)}`,
      details: [{ field: 'tax_id', reason: 'was changed meanwhile' }],
    },
  });
  expect(await desk.stored('properties', 'BER')).toMatchObject({
    name: { de: 'Grandhotel Berlin' },
    tax_id: 'DE1',
  });
});

test('concurrent edits of one record use separate files', async () => {
  await using desk = await openDesk();
  const inside = replacing(['city: Berlin', 'city: Potsdam']);
  const other = '99999999-2222-4333-8444-555555555555';
  const editor = editing(async (text) => {
    await desk.innctl(EDIT, { editor: editing(inside), uuid: other });
    return renamed(text);
  });

  await desk.innctl(EDIT, { editor });

  expect(await desk.kept()).toEqual([`property-BER-${UUID}.yaml`, `property-BER-${other}.yaml`]);
  expect(readFileSync(pathAt(desk), 'utf8')).toContain('city: Berlin');
});

test('an update without a response exits with 8, and the text is kept', async () => {
  await using desk = await openDesk();
  const editor = editing((text) => `${text}default_check_in_time: 16:00:00\n`);
  const line = 'properties edit BER --yes --color never';

  const { exitCode, stderr } = await against(['drop-after:method=PATCH'], line, {
    folder: desk.folder,
    answers: [],
    editor,
  });

  expect({ exitCode, hint: stderr.split('hint: ')[1] }).toEqual({
    exitCode: 8,
    hint: `innctl ${line} --file ${pathAt(desk)}\n`,
  });
});

test('without colours the diff has the same text', async () => {
  await using desk = await openDesk();

  const { stderr } = await desk.innctl(`${EDIT} --color always`, {
    editor: editing(renamed),
    env: { NO_COLOR: '' },
  });

  expect(stderr).toContain('\u001b[1m\u001b[31m-  de: Grandhotel Berlin\u001b[39m\u001b[22m\n');
  expect(stripVTControlCharacters(stderr).slice(0, difference.length)).toBe(difference);
});

describe('the editor', () => {
  const commands: string[] = [];
  const recordCommand = async (command: string) => {
    commands.push(command);
    return 0;
  };

  test.each([
    { env: { VISUAL: 'code --wait', EDITOR: 'nano' }, answers: [], command: 'code --wait' },
    { env: { VISUAL: ' ', EDITOR: 'nano' }, answers: [], command: 'nano' },
    { env: { EDITOR: '' }, answers: [], command: 'vi' },
  ])('is $command with $env', async ({ env, answers, command }) => {
    await using desk = await openDesk();
    commands.length = 0;

    await desk.innctl(EDIT, { env, answers, editor: recordCommand });

    expect(commands).toEqual([command]);
  });

  test.each([
    {
      flags: '',
      env: { EDITOR: '' },
      stderr:
        `error: No editor is set: set EDITOR to its command line.\nhint: EDITOR=nano innctl ${EDIT}\n` +
        'Or without an editor: innctl --sandbox properties update --help\n',
    },
    {
      flags: ' --no-input',
      env: {},
      stderr:
        'error: An editor cannot be opened with --no-input.\n' +
        'hint: innctl --sandbox properties update --help\n',
    },
  ])('is not run with "$flags" and $env', async ({ flags, env, stderr }) => {
    await using desk = await openDesk();

    expect(await desk.innctl(`${EDIT}${flags}`, { env, editor: editing() })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr,
    });
  });

  test.each([
    { ends: 1, how: 'ended with exit code 1: ed; nothing was sent.\n' },
    {
      ends: 127,
      how:
        'ended with exit code 127: ed; nothing was sent.\n' +
        'hint: Set EDITOR to the command line of an installed editor.\n',
    },
    { ends: undefined, how: 'was ended by a signal: ed; nothing was sent.\n' },
  ])('that ends with $ends sends nothing', async ({ ends, how }) => {
    await using desk = await openDesk();

    expect(await desk.innctl(`${EDIT} --yes`, { editor: async () => ends })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: The editor ${how}`,
    });
    expect(await desk.kept()).toEqual([]);
  });

  test('that fails after the text was changed keeps the text', async () => {
    await using desk = await openDesk();
    const editor = async (_command: string, file: string) => {
      writeFileSync(file, 'name: {}\n');
      return 1;
    };

    const { exitCode, stderr } = await desk.innctl(EDIT, { editor });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: The editor ended with exit code 1: ed; nothing was sent.\nhint: ${keptHint(desk)}\n`,
    });
  });

  test('interrupted by SIGINT ends the run, and the text is kept', async () => {
    await using desk = await openDesk();
    const run = new AbortController();
    const editor = editing((text) => {
      run.abort(new Interruption('SIGINT'));
      return renamed(text);
    });

    expect(await desk.innctl(`${EDIT} --yes`, { editor, signal: run.signal })).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: `error: Interrupted by SIGINT.\nhint: ${keptHint(desk)}\n`,
    });
    expect(await desk.stored('properties', 'BER')).toMatchObject({ name: { de: 'Grandhotel Berlin' } });
  });
});

describe('the file', () => {
  test('is accessible only by its owner', async () => {
    await using desk = await openDesk();
    const modes: number[] = [];
    const editor = async (_command: string, file: string) => {
      modes.push(statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777);
      return 0;
    };

    await desk.innctl(EDIT, { editor });

    expect(modes).toEqual([0o600, 0o700]);
  });

  test('is not written through a symbolic link', async () => {
    await using desk = await openDesk();
    await mkdir(join(desk.folder, 'state'));
    symlinkSync(desk.folder, join(desk.folder, 'state', 'edits'));

    const { exitCode, stderr } = await desk.innctl(EDIT, { editor: editing() });

    expect({ exitCode, isRefused: stderr.includes('is a symbolic link') }).toEqual({
      exitCode: 1,
      isRefused: true,
    });
  });

  test('is named by the subject id, not by the e-mail address', async () => {
    await using desk = await openDesk();
    const seen: string[] = [];
    const editor = async (_command: string, file: string) => {
      seen.push(file);
      return 0;
    };

    await desk.innctl(['--sandbox', 'users', 'edit', 'ana@aurora.example'], { editor });

    expect(seen).toEqual([
      join(desk.folder, 'state', 'edits', `user-6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01-${UUID}.yaml`),
    ]);
  });
});

test.each([
  { env: { INNCTL_SAFETY: 'no-update' } },
  { env: { INNCTL_PROTECT: 'B*' } },
  { env: { INNCTL_FREEZE: '2026-03-01' } },
])('a guard stops it before the editor is opened: $env', async ({ env }) => {
  await using desk = await openDesk();

  const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes`, {
    env,
    editor: editing(),
    now: Date.parse('2026-03-01T12:00:00Z'),
  });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 11,
    stderr: expect.stringMatching(/^error: Could not update the property: .*; nothing was sent\.\n/),
  });
});

test('an unknown property is reported with a suggestion', async () => {
  await using desk = await openDesk();

  const { exitCode, stderr } = await desk.innctl('--sandbox properties edit BRE', { editor: editing() });

  expect({ exitCode, isHinted: stderr.includes('hint: Did you mean BER?') }).toEqual({
    exitCode: 3,
    isHinted: true,
  });
});
