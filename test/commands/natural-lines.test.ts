import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { wordsOf } from '../helpers/shell-words.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'config.json'), '{"version":1,"profiles":{"vienna":{}}}');
writeFileSync(
  join(folder, 'hotel.yaml'),
  'invitations:\n  - email: mia@example.com\n    role: FrontDesk\n    properties: [BER]\n',
);
writeFileSync(join(folder, 'hotels.csv'), 'email,role,properties\nmia@example.com,FrontDesk,BER\n');

/** Hosts without interceptors: any request fails the test. */
async function hintOf(line: string | readonly string[]) {
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });
  const [, hint] = /^error: .*\nhint: (.*)\n$/s.exec(stderr) ?? [];
  if (hint === undefined) return { exitCode, stdout, hint: JSON.parse(stderr).error.hint };
  return { exitCode, stdout, hint };
}

describe('a line of another program is not run, and the hint is one that does it', () => {
  test.each([
    ['users list --json id,email', 'users list --fields id,email --json'],
    ["users list --jq '.items[].email'", "users list --query 'items[].email' -r"],
    ["users list -q '.items[].email'", "users list --query 'items[].email' -r"],
    ['get users', 'users list'],
    ['get property BER', 'property get BER'],
    ['describe property BER', 'property get BER'],
    ['delete property MUC', 'property delete MUC'],
    ['--sandbox delete property MUC', '--sandbox property delete MUC'],
    ['delete property', 'property delete --help'],
    ['edit property BER', 'property update BER'],
    ['apply -f hotel.yaml', 'apply hotel.yaml'],
    ['diff -f hotel.yaml', 'plan hotel.yaml'],
    ['import hotels.csv', 'apply hotels.csv'],
    ['validate hotels.csv', 'plan hotels.csv'],
    ['users view ben@aurora.example', 'users get ben@aurora.example'],
    ['users rm ben@aurora.example', 'people offboard ben@aurora.example'],
    ['users remove ben@aurora.example', 'people offboard ben@aurora.example'],
    ['users offboard ben@aurora.example', 'people offboard ben@aurora.example'],
    ['users add mia@example.com', 'invite mia@example.com'],
    ['user add mia@example.com --role "Front Desk" BER', "invite mia@example.com --role 'Front Desk' BER"],
    ['users add-property ben@aurora.example VIE', 'users grant ben@aurora.example --property VIE'],
    ['auth switch vienna', 'profiles use vienna'],
    ['config use-context vienna', 'profiles use vienna'],
    ['config get-contexts', 'profiles list'],
    ['ls properties', 'properties list'],
    ['properties retrieve BER', 'properties get BER'],
    ['docs', 'help'],
    ['properties BER', 'properties get BER'],
    ['users lst', 'users list'],
    ['Properties list', 'properties list'],
    ['invitation creat', 'invitation create --help'],
    ['roles assign ben@aurora.example FrontDesk', 'users grant --help'],
    ['--sandbox user update ben@aurora.example --role FrontDesk', '--sandbox users grant --help'],
    ['users list --limt 3', 'users list --limit 3'],
    ['users list --limt=3', 'users list --limit=3'],
    ['invitations list -l property=BER', 'invitations list --property BER'],
  ])('innctl %s', async (line, meant) => {
    expect(await hintOf(line)).toEqual({ exitCode: 2, stdout: '', hint: `innctl ${meant}` });

    const words = wordsOf(`innctl ${meant}`).map((word) =>
      word.startsWith('hotel') ? join(folder, word) : word,
    );
    // At a terminal an update asks what to change.
    const terminal = words[1] === 'update' ? { answers: [] } : {};
    const ran = await cli([...words, '--sandbox'], { ...terminal, folder, connect: connectUndici });
    expect(ran).not.toMatchObject({ exitCode: 2 });
  });
});

test.each([
  ['users list --no-color', 'users list'],
  ['users list --no-pager', 'users list'],
  ['users help', 'users --help'],
  ['users help list', 'users list --help'],
  ['-h users list', 'users list --help'],
  ['hotels list', 'properties list'],
  ['users show ben@aurora.example', 'users get ben@aurora.example'],
])('innctl %s is innctl %s', async (line, same) => {
  const situation = { env: { INNCTL_PROFILE: 'sandbox' }, connect: connectUndici };

  const ended = await cli(line, situation);

  expect(ended).toEqual(await cli(same, situation));
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
});

describe('a wrong line is no hint: the page of the command is', () => {
  test.each([
    ['nonsense', 'innctl'],
    ['search users ben', 'innctl'],
    ['archive BER', 'innctl'],
    ['disinvite mia@example.com', 'innctl'],
    ['auth switch', 'innctl auth'],
    ['properties undelete BER', 'innctl properties'],
    ['properties nonsense', 'innctl properties'],
    ['properties list BER', 'innctl properties list'],
    ['properties exists BER MUC', 'innctl properties exists'],
    ['users list --filter role=FrontDesk', 'innctl users list'],
    ["users list --jq '.items | length'", 'innctl users list'],
    ['users list -x', 'innctl users list'],
    ['users list --__proto__', 'innctl users list'],
    ['users constructor ben', 'innctl users'],
    ['users -- remove ben', 'innctl users'],
    ['users update ben --delete-properties BER', 'innctl users update'],
    ['-p users properties exists', 'innctl properties exists'],
  ])('innctl %s', async (line, command) => {
    expect(await hintOf(line)).toEqual({ exitCode: 2, stdout: '', hint: `${command} --help` });
  });
});

test.each([
  "O'Neil",
  'a b',
  '$(touch x)',
  '`id`',
  '"; rm -rf /',
  'ä\u202e',
  'x\ny',
  '!!',
  '*',
  '~',
  '{a,b}',
  '$&',
])('a word that a shell interprets is quoted in the hint: %j', async (word) => {
  const { exitCode, hint } = await hintOf(['users', 'remove', word]);

  expect(exitCode).toBe(2);
  expect(wordsOf(hint)).toEqual(['people', 'offboard', word]);
});

describe('a secret that is typed as an argument is not shown', () => {
  const SECRET = 'hunter2-hunter2';

  test.each([
    [['login', '--token', SECRET], 'login'],
    [['login', `--token=${SECRET}`], 'login'],
    [['login', '--wbe', '--client-secret', SECRET], 'login'],
    [['config', 'set', 'token', SECRET, '--jsn'], 'config set'],
    [['api', 'POST', '/x', '-f', `password=${SECRET}`, '--jsn'], 'api'],
    [['logout', `eyJ${SECRET}`], 'logout'],
    [['users', 'list', `--pass=${SECRET}`], 'users list'],
    [['profiles', 'create', 'x', '--base-url', `https://u:${SECRET}@h`], 'profiles'],
    [['users', 'list', '-H', `Authorization: Bearer ${SECRET}`], 'users list'],
  ])('innctl %j', async (argv, command) => {
    const { exitCode, stdout, stderr } = await cli(argv, { env: hotels });

    expect({ exitCode, stdout, isShown: stderr.includes(SECRET) }).toEqual({
      exitCode: 2,
      stdout: '',
      isShown: false,
    });
    expect(stderr).toContain(`hint: innctl ${command} --help\n`);
  });
});
