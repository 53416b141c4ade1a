import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/print/output.ts';
import { globalsIn } from '../../src/session/command-line.ts';
import { API, cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

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

    expect(await cli('properties list -q --limit 2', { env: { ...hotels, ...output } })).toEqual(
      printed('BER\nMUC\n'),
    );
  },
);

test.each(['schema manifest'])('-q prints output without ids unchanged: %s', async (line) => {
  const [quiet, whole] = [await cli(`${line} -q`), await cli(line)];

  expect(quiet).toEqual(whole);
  expect(quiet.stdout.length).toBeGreaterThan(1_000);
});

test('-q prints errors as text, overriding JSON in the environment', async () => {
  const result = await cli('properties get -q', { env: { ...hotels, INNCTL_OUTPUT: 'json' } });

  expect(result).toEqual(ended(2, expect.stringMatching(/^error: /)));
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
    'properties list --jsn --output --query',
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

test('the topic formatting names every format', async () => {
  const { stdout } = await cli('help formatting');

  expect(formats.filter((format) => !stdout.includes(`\n    ${format} `))).toEqual([]);
});
