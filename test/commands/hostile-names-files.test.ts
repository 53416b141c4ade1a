import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { hotelEntry, seeding } from '../helpers/seeding.ts';
import { freshFolder } from '../sandbox/harness.ts';
import { hostile, hostileService, nothingWrong, typed, wrongIn } from './hostile-names.ts';

const onService = (line: string, situation: Situation) =>
  cli(line, { env: hotels, connect: hostileService, ...situation });

/** Files whose names and values contain control characters. */
const files: readonly [string, string][] = [
  ['YAML fields', JSON.stringify({ properties: [{ [hostile]: hostile, code: hostile }] })],
  ['kinds', JSON.stringify({ [hostile]: [{ [hostile]: hostile }] })],
  ['people', JSON.stringify({ invitations: [{ email: hostile, role: hostile, properties: [hostile] }] })],
  ['raw YAML', `properties:\n  - code: "${typed.replaceAll('\\', '')}`],
  ['plain text', typed],
  ['tags', `properties: !<${typed.split('\n')[0]}> [ *${typed.slice(0, 9)} ]`],
  [
    'a table',
    `kind,code,${'"'}${typed.replaceAll('"', '')}${'"'}\nproperty,"${typed.replaceAll('"', '')}",x\n`,
  ],
];

test.each(files)('%s of a file are escaped', async (_, text) => {
  const lines = [
    'plan -',
    'plan - --json',
    'apply - --yes',
    'apply - --yes --json',
    'properties create --file -',
    'invitations create --file -',
    'users update u-1 --patch -',
    'api POST /api/v1/roles --input - --dry-run',
    'profiles add berlin --file - --insecure-storage',
  ];
  for (const line of lines) {
    for (const columns of [undefined, 60]) {
      const situation = columns === undefined ? { stdin: text } : { stdin: text, columns };
      const shown = await onService(`${line} --color never`, situation);
      expect({ line, ...wrongIn(shown) }).toEqual({ line, ...nothingWrong });
    }
  }
});

test.each(['yaml', 'json', 'ndjson', 'csv'])(
  'an export as %s contains no unescaped control characters',
  async (format) => {
    const shown = await onService(`export --kind property -o ${format}`, {});

    expect(wrongIn(shown)).toEqual(nothingWrong);
    expect(shown.stdout.length).toBeGreaterThan(100);
  },
);

test('a file name with control characters is escaped', async () => {
  const folder = await freshFolder();
  const name = typed.replaceAll('/', '').slice(0, 80);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), 'properties: [');
  const path = join(folder, name);

  for (const flags of [[], ['--json'], ['--color', 'never']]) {
    for (const words of [
      ['plan', path],
      ['apply', path, '--yes'],
      ['plan', `${path}.gone`],
      ['properties', 'create', '--file', path],
      ['runs', 'list', '--journal', path],
      ['roles', 'list', '--ca-file', path],
      ['apply', '--plan', path],
    ]) {
      const shown = await cli([...words, ...flags], { env: hotels, connect: hostileService });
      expect({ words: words.slice(0, 2), ...wrongIn(shown) }).toEqual({
        words: words.slice(0, 2),
        ...nothingWrong,
      });
    }
  }
});

test('the records of a run are escaped when stored and printed', async () => {
  const service = await seeding();
  const company = JSON.stringify('Nord\u009b2J \u001b]0;owned\u0007\u202e\nhint: forged');
  const path = await service.file('seed.yaml', `properties:\n${hotelEntry('HAM', company)}`);

  const shown = [
    await service.innctl(['plan', path]),
    await service.innctl(['apply', path, '--yes']),
    await service.innctl('runs list'),
    await service.innctl('runs list --json'),
  ];

  expect(shown.map((each) => wrongIn(each))).toEqual(shown.map(() => nothingWrong));
});
