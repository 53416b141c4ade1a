import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hotelsYaml, peopleYaml, seeding } from '../helpers/seeding.ts';
import { typedUntilSettled } from './settling.ts';

test.each([
  ['drop-before:method=DELETE,times=4', [8, 0]],
  ['drop-after:method=DELETE,times=4', [0]],
  ['500:method=DELETE,times=4', [8, 0]],
  ['200:method=DELETE,times=4,body=html', [8, 0]],
])('the hint of exit 8 settles deletions of a file: %s', async (fault, ended) => {
  const { file, innctl, hotels, invited } = await seeding(fault);
  const path = await file(
    'seed.yaml',
    hotelsYaml('HAM', 'KIE') + peopleYaml('ana@example.com', 'eva@example.com'),
  );
  await innctl(['apply', path, '--yes']);
  await writeFile(path, hotelsYaml('HAM') + peopleYaml('ana@example.com'));
  const line = ['apply', path, '--yes', '--prune', '--max-deletes', '2', '--json', '--max-attempts', '2'];

  const codes = await typedUntilSettled(line, innctl);

  expect(codes).toEqual(ended);
  expect(await hotels()).toEqual(['BER', 'MUC', 'VIE', 'HAM']);
  expect((await invited()).filter((email) => email.endsWith('@example.com'))).toEqual(['ana@example.com']);
});
