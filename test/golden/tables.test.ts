import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { NOON } from '../sandbox/harness.ts';

const lines = [
  'invitations list',
  'roles list',
  'users list',
  'users get ben@aurora.example',
  'users me',
  'properties list',
  'properties get BER',
  'properties get VIE --languages de --expand unitGroups',
  'properties count',
  'countries list --limit 3',
];

test.each([60, 80, 160])('tables fit a terminal of %i columns, or records become cards', async (columns) => {
  const folder = await temporaryFolder();
  const pages = [];
  for (const line of lines) {
    const { exitCode, stdout } = await cli(`--sandbox ${line}`, {
      folder,
      columns,
      env: { NO_COLOR: '1' },
      now: NOON,
      connect: connectUndici,
    });
    expect(exitCode).toBe(0);
    pages.push(`$ innctl ${line}\n${stdout}`);
  }

  const boxes = pages.flatMap((page) => page.split('\n')).filter((line) => /^[┌│├└]/.test(line));
  expect(boxes.filter((line) => line.length > columns)).toEqual([]);
  await expect(pages.join('\n')).toMatchFileSnapshot(`tables-${columns}.txt`);
});
