import nock from 'nock';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { AUTH, cli, hotels } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const countryCodes = ['AT', 'CH', 'DE'];

const answers = (status: number, body?: nock.Body) =>
  nock('https://api.example.com', AUTH).get('/inventory/v1/types/countries').reply(status, body);

/** Over a real socket, which nock allows. */
const inSandbox = (line: string) => cli(`--sandbox ${line}`, { connect: connectUndici });

onlyIntercepted();

test.each<[string, nock.Body]>([
  ['strings under a named key', { countryCodes }],
  ['the contract’s wrapper', { count: 3, items: countryCodes.map((code) => ({ code })) }],
])('accepts a country list as %s', async (_, body) => {
  answers(200, body);

  const result = await cli('countries list --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({ count: 3, items: countryCodes.map((code) => ({ code })) }),
  );
});

test('shows names if the service returns them', async () => {
  answers(200, {
    count: 2,
    items: [{ code: 'AT', name: { de: 'Österreich', en: 'Austria' } }, { code: 'CH' }],
  });

  expect((await cli('countries list', { env: hotels })).stdout).toBe('AT\tAustria\nCH\t\n');
});

test('at a terminal, and as wide, each code has its name, unless the service returns another one', async () => {
  const items = [
    { code: 'AT' },
    { code: 'CH', name: 'Switzerland, all of it' },
    { code: 'QQ' },
    { code: 'at' },
  ];
  const lines = [
    '│ Code │ Name                   │',
    '│ AT   │ Austria                │',
    '│ CH   │ Switzerland, all of it │',
    '│ QQ   │ -                      │',
    '│ at   │ -                      │',
  ];
  answers(200, { count: 4, items });
  answers(200, { count: 4, items });

  const shown = [
    await cli('countries list --color never', { env: hotels, columns: 80 }),
    await cli('countries list -o wide', { env: hotels }),
  ];

  expect(shown.map(({ stdout }) => stdout.split('\n').filter((line) => line.startsWith('│')))).toEqual([
    lines,
    lines,
  ]);
});

test.each<[string, number, string, string, number]>([
  ['', 249, 'AD', 'ZW', 249],
  ['--limit 3', 3, 'AD', 'AF', 249],
  ['--page-number 3', 49, 'SJ', 'ZW', 249],
  ['--page-number 2 --page-size 2', 2, 'AF', 'AG', 249],
])('countries list %s in the sandbox shows %i', async (flags, shown, first, last, count) => {
  nock.enableNetConnect('127.0.0.1');

  const result = await inSandbox(`countries list ${flags} --json`);

  const document = JSON.parse(result.stdout);
  expect({
    exitCode: result.exitCode,
    count: document.count,
    shown: document.items.length,
    first: document.items[0].code,
    last: document.items.at(-1).code,
  }).toEqual({ exitCode: 0, count, shown, first, last });
});
