import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { isPlainTerminal } from '../../src/print/paint.ts';
import { peopleYaml, seeding } from '../helpers/seeding.ts';

test.each([
  { env: {}, plain: false },
  { env: { TERM: 'xterm-256color' }, plain: false },
  { env: { TERM: 'dumb' }, plain: true },
  { env: { TERM: 'dumb', ACCESSIBLE: '0' }, plain: true },
  { env: { ACCESSIBLE: '1' }, plain: true },
  { env: { ACCESSIBLE: 'yes' }, plain: true },
  { env: { ACCESSIBLE: ' ' }, plain: true },
  { env: { ACCESSIBLE: '' }, plain: false },
  { env: { ACCESSIBLE: '0' }, plain: false },
  { env: { ACCESSIBLE: 'False' }, plain: false },
])('$env selects plain output: $plain', ({ env, plain }) => {
  expect(isPlainTerminal(env)).toBe(plain);
});

test.each([
  'plan people.yaml',
  'apply people.yaml --yes',
  'properties get a/b',
  'invitations list --limit 1',
  'properties update BER',
])('colour carries no information of its own: %s', async (line) => {
  const { innctl, file } = await seeding();
  const path = await file('people.yaml', peopleYaml('mia@example.com'));
  const words = line.replace('people.yaml', path);
  const surroundings = { env: { ACCESSIBLE: '1' }, columns: 200 };

  const coloured = await innctl(`${words} --dry-run --color always`, surroundings);
  const bare = await innctl(`${words} --dry-run --color never`, surroundings);

  expect({
    ...coloured,
    stdout: stripVTControlCharacters(coloured.stdout),
    stderr: stripVTControlCharacters(coloured.stderr),
  }).toEqual(bare);
  expect([coloured, bare].map(({ stdout, stderr }) => `${stdout}${stderr}`.includes('\u001b'))).toEqual([
    true,
    false,
  ]);
});
