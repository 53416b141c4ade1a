import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { workflowErrors } from '../../src/print/github.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { hotelsYaml, peopleYaml, seeding } from '../helpers/seeding.ts';

const commandsIn = (text: string) => text.split('\n').filter((line) => line.startsWith('::'));

describe('problems of files', () => {
  test.each([
    [
      'plan',
      'p.csv',
      'email,role\nana@example,Cook\n',
      'line=2::p.csv: row 2: email: "ana@example" is not an e-mail address',
    ],
    [
      'apply',
      'p.yaml',
      'users:\n  - { email: ben@example.com, enabled: maybe }\n',
      'line=2::p.yaml: line 2: enabled: "maybe" is neither true nor false: write true or false',
    ],
    [
      'apply',
      'p.json',
      '[{"email":\n"x",,}]',
      'line=2::p.json: line 2: is not valid JSON: Expected double-quoted property name',
    ],
    [
      'properties create --file',
      'p.yaml',
      'code: BER\ncountry: DE\n',
      '::p.yaml: country: is not a field of a property',
    ],
    [
      'properties create --file',
      'p.json',
      '{"code": "A",\n "tax_id": 1,,}',
      'line=2,col=14::p.json is not valid JSON: Expected double-quoted property name at line 2, column 14.',
    ],
    [
      'properties create --file',
      'none.yaml',
      undefined,
      '::Cannot read none.yaml: there is no such file (ENOENT).',
    ],
    ['plan', 'none.yaml', undefined, '::none.yaml: cannot be read: there is no such file (ENOENT)'],
  ])('%s %s', async (command, name, text, expected) => {
    const { file, folder } = await seeding();
    const path = text === undefined ? join(folder, name) : await file(name, text);
    const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder };

    const { exitCode, stdout, stderr } = await cli(['--sandbox', ...command.split(' '), path], {
      folder,
      env,
    });

    const place = expected.startsWith('::') ? `file=${name}` : `file=${name},`;
    expect({ exitCode, stdout, commands: commandsIn(stderr)[0]?.replaceAll(`${folder}/`, '') }).toEqual({
      exitCode: 2,
      stdout: '',
      commands: `::error ${place}${expected}`,
    });
  });

  const bad = 'email\nana@example\n';

  test('nothing else changes, and nothing changes elsewhere', async () => {
    const { file, folder } = await seeding();
    const path = await file('p.csv', bad);
    const run = (env: Record<string, string>, ...flags: string[]) =>
      cli(['--sandbox', 'plan', path, ...flags], { folder, env });

    const elsewhere = await run({});
    const there = await run({ GITHUB_ACTIONS: 'true' });

    expect(await run({ GITHUB_ACTIONS: 'false' })).toEqual(elsewhere);
    expect(there).toEqual({
      ...elsewhere,
      stderr: `${elsewhere.stderr}::error file=${path},line=2::${path}: row 2: email: "ana@example" is not an e-mail address\n`,
    });
    expect(await run({ GITHUB_ACTIONS: 'true' }, '--json')).toEqual(await run({}, '--json'));
  });

  test('a file outside the workspace keeps its path, and stdin has none', async () => {
    const { file, folder } = await seeding();
    const path = await file('p.csv', bad);
    const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: join(folder, 'repository') };
    const line = async (name: string) =>
      commandsIn((await cli(['--sandbox', 'plan', name], { folder, env, stdin: bad })).stderr)[0]?.split(
        '::',
      )[1];

    expect([await line(path), await line('-')]).toEqual([`error file=${path},line=2`, 'error line=2']);
  });

  test('values cannot end a command or begin another one, and secrets are masked', () => {
    const details = [
      {
        field: 'a,b:%.csv: row 2: name\r\n::error::x',
        reason: '100 %\u001b[31m\n::stop-commands::x s3cret ##[x',
      },
    ];
    const redactor = { text: (text: string) => text.replaceAll('s3cret', '***') };
    const error = new CliError('invalid_input', 'wrong', { details });

    const text = workflowErrors(error, { argv: [], env: {}, redactor: redactor as never });

    expect(text).toBe(
      '::error file=a%2Cb%3A%25.csv,line=2::a,b:%25.csv: row 2: name\\r%0A::error::x: 100 %25\\u{1b}[31m%0A::stop-commands::x *** \\u0023#[x\n',
    );
  });

  test('problems that are not about files have no command', async () => {
    const env = { GITHUB_ACTIONS: 'true' };
    const runId = await cli('--sandbox plan --run-id ""', { env });
    const foreign = await cli('users update u-1 --first-name Ben', { env: { ...hotels, ...env } });

    expect(foreign.stderr).toContain('--first-name: needs dialect apaleo');
    expect(commandsIn(runId.stderr + foreign.stderr)).toEqual([]);
  });
});

describe('texts of the service', () => {
  const roles = [' \u00a0::set-output name=a::b', 'a ::b', '##[add-path]/tmp', 'Cook\n::debug::x'];
  const list = async (flags: string, env: Record<string, string>) => {
    nock('https://identity.example.com').get('/api/v1/roles').reply(200, { roles });
    return (await cli(`roles list ${flags}`, { env: { ...hotels, ...env } })).stdout;
  };

  test('are no commands to the runner', async () => {
    const env = { GITHUB_ACTIONS: 'true' };

    expect(await list('', env)).toBe(
      ' \u00a0\\u003a:set-output name=a::b\na ::b\n\\u0023#[add-path]/tmp\nCook\\n::debug::x\n',
    );
    expect((await list('-o csv', env)).split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([]);
    const json = await list('--json', env);
    expect(json).not.toContain('##[');
    expect(JSON.parse(json).items).toEqual(roles.map((name) => ({ name })));
  });

  test('stay what they are elsewhere', async () => {
    expect(await list('', {})).toBe(
      ' \u00a0::set-output name=a::b\na ::b\n##[add-path]/tmp\nCook\\n::debug::x\n',
    );
  });

  test('in messages: a line that begins with a command after it was wrapped', async () => {
    const long = `${'x'.repeat(20)} ::error::y`;

    const { stderr } = await cli(['--sandbox', 'access', 'report', '--user', long], {
      env: { GITHUB_ACTIONS: 'true' },
      columns: 80,
      answers: [],
    });

    expect(stderr).toMatch(/^\s+\\u003a:error::y"/m);
  });
});

describe('GITHUB_STEP_SUMMARY', () => {
  const seed = `${hotelsYaml('HAM')}invitations:
  - { email: ana@example.com, role: "Cook | <b>*x*</b>", properties: [BER] }
`;

  test('a plan and a run append their sums and failures, as text', async () => {
    const { file, folder, innctl } = await seeding();
    const path = await file('seed.yaml', seed);
    const summary = await file('summary.md', 'before\n');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: folder };

    await innctl(['plan', path], { env });
    const { exitCode, stderr } = await innctl(['apply', path, '--yes'], { env });

    expect({ exitCode, commands: commandsIn(stderr) }).toEqual({
      exitCode: 9,
      commands: [
        expect.stringMatching(
          /^::error file=seed\.yaml,line=13::.*: line 13: ana@example\.com: the service has no role/,
        ),
      ],
    });
    const where = `${path}: line 13: ana@example.com`.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
    const reason = expect.stringMatching(
      /^the service has no role \\"Cook \\\| \\<b\\>\\\*x\\\*\\<\\\/b\\>\\"/,
    );
    const text = await readFile(summary, 'utf8');
    const cells = (line: string) => line.slice(2, -2).split(/(?<!\\) \| /);
    expect(text.split('\n').map((line) => (line.includes('ana') ? cells(line) : line))).toEqual([
      'before',
      '### innctl plan',
      '',
      '| to create | to change | to delete | not possible | unchanged |',
      '| --: | --: | --: | --: | --: |',
      '| 1 | 0 | 0 | 1 | 0 |',
      '',
      '| Rows | Reason |',
      '| --- | --- |',
      [where, reason],
      '',
      '### innctl apply',
      '',
      '| created | changed | deleted | failed | unknown | not attempted | unchanged |',
      '| --: | --: | --: | --: | --: | --: | --: |',
      '| 1 | 0 | 0 | 1 | 0 | 0 | 0 |',
      '',
      '| Rows | Reason |',
      '| --- | --- |',
      [where, reason],
      '',
      '',
    ]);
  });

  test('a summary that cannot be written is a warning', async () => {
    const { file, folder, innctl } = await seeding();
    await mkdir(join(folder, 'taken'));
    const path = await file('people.yaml', peopleYaml('mia@example.com'));
    const at = (summary: string) => ({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, summary) });

    const taken = await innctl(['apply', path, '--yes'], { env: at('taken') });
    const gone = await innctl(['plan', path], { env: at('none/summary.md') });

    expect([taken.exitCode, taken.stderr, gone.exitCode, gone.stderr]).toEqual([
      0,
      expect.stringContaining(
        `warning: Could not write the summary of the step to ${join(folder, 'taken')}: it is a folder (EISDIR).`,
      ),
      0,
      expect.stringContaining(`none/summary.md: there is no such folder (ENOENT).`),
    ]);
  });

  test('elsewhere nothing is written', async () => {
    const { file, innctl } = await seeding();
    const path = await file('people.yaml', peopleYaml('mia@example.com'));
    const summary = await file('summary.md', '');

    await innctl(['apply', path, '--yes'], { env: { GITHUB_STEP_SUMMARY: summary } });

    expect(await readFile(summary, 'utf8')).toBe('');
  });
});
