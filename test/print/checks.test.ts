import { expect, test } from 'vitest';
import { findingShape } from '../../src/commands/doctor/doctor.ts';
import { desk, onePage } from './desk.ts';

const findings = [
  { check: 'versions', status: 'ok', detail: 'innctl 1.0.0, Node 20.19.0, linux' },
  {
    check: 'config folder',
    status: 'fail',
    detail: 'others can read the folder of the settings, which may hold tokens',
    hint: 'To take it from them, and then to look at it again: innctl doctor --profile chain --timeout 10',
  },
  { check: 'clock', status: 'warn', detail: 'is wrong\u001b[2J\nby 3 s', hint: 'chmod go-rwx /tmp\nls' },
  { check: 'token', status: 'skipped', detail: 'no service is configured' },
];

const shown = async (options: Parameters<typeof desk>[0]) => {
  const { out, shown: all } = desk({ terminal: true, ...options });
  await out.records(findingShape, onePage(findings));
  return all();
};

test('each check is a line with its sign, and hints are below', async () => {
  expect(await shown({ columns: 60 })).toEqual({
    stdout: [
      '✓ versions       innctl 1.0.0, Node 20.19.0, linux',
      '✗ config folder  others can read the folder of the settings,',
      '                 which may hold tokens',
      '                 hint: To take it from them, and then to',
      '                       look at it again:',
      '                       innctl doctor --profile chain --timeout 10',
      '! clock          is wrong\\u{1b}[2J\\nby 3 s',
      '                 hint: chmod go-rwx /tmp',
      '                       ls',
      '- token          no service is configured',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('signs are ASCII on a plain terminal, and repeat by colour what they say', async () => {
  const plain = await shown({ columns: 200, plain: true });
  const coloured = await shown({ columns: 200, colour: { stdout: true, stderr: true } });

  expect(plain.stdout.match(/^\S/gm)).toEqual(['+', 'x', '!', '-']);
  expect(coloured.stdout.match(/^\S+/gm)).toEqual([
    '\u001b[32m✓\u001b[39m',
    '\u001b[1m\u001b[31m✗\u001b[39m\u001b[22m',
    '\u001b[33m!\u001b[39m',
    '\u001b[36m-\u001b[39m',
  ]);
});

test('other formats are lists of findings', async () => {
  const [tsv, wide] = [await shown({ terminal: false }), await shown({ columns: 300, format: 'wide' })];

  expect(tsv.stdout.split('\n')[3]).toBe('token\tskipped\tno service is configured\t');
  expect(wide.stdout).toMatch(/^┌[┬─]+┐\n│ Check +│ Status +│ Detail +│ Hint +│\n/);
});
