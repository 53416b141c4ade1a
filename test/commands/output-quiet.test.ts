import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { globalsIn } from '../../src/cli/flags.ts';
import { formatting } from '../../src/commands/help/help.ts';
import { formats } from '../../src/print/output.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';

onlyIntercepted();

test.each([{}, { INNCTL_OUTPUT: 'json' }])(
  '-q prints only ids, overriding the environment: %o',
  async (output) => {
    nock(API)
      .get('/inventory/v1/properties?page_size=2&page_number=1')
      .reply(200, {
        count: 3,
        items: [
          { id: 'BER', name: 'Grand Hotel' },
          { id: 'MUC', name: 'MUC' },
        ],
      });

    expect(await cli('properties list -q --limit 2', { env: { ...hotels, ...output } })).toEqual({
      exitCode: 0,
      stdout: 'BER\nMUC\n',
      stderr: '',
    });
  },
);

test('-q prints the e-mail address of invitations, also after a write', async () => {
  nock(IDENTITY)
    .get('/api/v1/invitations')
    .reply(200, [{ id: 7, email: 'ana@example.com' }, { email: 'ben@example.com' }]);
  nock(IDENTITY).post('/api/v1/invitations').reply(200, { email: 'mia@example.com' });

  const list = await cli('invitations list -q', { env: hotels });
  const write = await cli(
    'invitations create --no-check mia@example.com --role Housekeeping --properties BER -q',
    {
      env: hotels,
    },
  );

  expect([list, write]).toEqual([
    { exitCode: 0, stdout: 'ana@example.com\nben@example.com\n', stderr: '' },
    { exitCode: 0, stdout: 'mia@example.com\n', stderr: '' },
  ]);
});

test('-q leaves a count and a path unchanged', async () => {
  nock(API).get('/inventory/v1/properties/$count').reply(200, { count: 3 });

  expect((await cli('properties count -q', { env: hotels })).stdout).toBe('3\n');
});

test.each(['schema manifest', 'completion bash', 'completion powershell'])(
  '-q prints output without ids unchanged: %s',
  async (line) => {
    const [quiet, whole] = [await cli(`${line} -q`), await cli(line)];

    expect(quiet).toEqual(whole);
    expect(quiet.stdout.length).toBeGreaterThan(1_000);
  },
);

test('-q prints errors as text, overriding JSON in the environment', async () => {
  const result = await cli('properties get -q', { env: { ...hotels, INNCTL_OUTPUT: 'json' } });

  expect(result).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/^error: /) });
});

test.each([
  ['--json', '--json'],
  ['-o tsv', '--output'],
  ['--fields id', '--fields'],
  ['--query id', '--query'],
  ['--no-headers', '--no-headers'],
  ['--no-headers --fields id --output csv', '--output, --fields, --no-headers'],
])('-q rejects %s', async (flags, named) => {
  const { exitCode, stdout, stderr } = await cli(`properties list -q ${flags}`, { env: hotels });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`--quiet prints only ids; it cannot be combined with ${named}.`);
});

describe('usage errors', () => {
  test.each([
    'properties list --jsn --json',
    'properties list --jsn -ojson',
    'properties list --jsn -o ndjson',
    'properties list --jsn --output=json',
    'properties list --jsn -nqrojson',
    'properties list --jsn -yqro json',
    'properties list --jsn --query id',
    'properties list --jsn --query --json',
    'properties list --jsn -p -q --query -x',
  ])('are JSON if the flags request it: %s', async (line) => {
    const { exitCode, stderr } = await cli(line);

    expect({ exitCode, code: JSON.parse(stderr).error.code }).toEqual({ exitCode: 2, code: 'usage' });
  });

  test.each([
    'properties list --jsn',
    'properties list --jsn -ojson -otsv',
    'properties list --jsn --fields --json',
    'properties list --jsn --fields -ojson',
    'properties list --jsn --output --query',
    'properties list --jsn -o --json',
    'properties list --jsn -p --json',
    'properties list --jsn -- --json',
    'properties list --jsn --json=yes',
    'properties list --jsn -nqr',
  ])('are text otherwise, whatever flag values look like: %s', async (line) => {
    const { exitCode, stderr } = await cli(line);

    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/^error: /) });
  });

  test('follow the environment unless a flag overrides it', () => {
    expect([...globalsIn(['properties', 'list'])]).toEqual([]);
    expect([...globalsIn(['-qo', '--', '--query', '--', '--', '--json'])]).toEqual([
      ['quiet', undefined],
      ['output', '--'],
      ['query', '--'],
    ]);
    expect([...globalsIn(['--output'])]).toEqual([['output', undefined]]);
  });
});

test('the topic formatting names every format and fits 80 columns', () => {
  const lines = formatting().split('\n');

  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(formatting()).toContain('the least important columns are left out, and counted below it');
  expect(formats.filter((format) => !lines.some((line) => line.startsWith(`    ${format} `)))).toEqual([]);
});
