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
    ['invitations list --json id,email', 'invitations list --fields id,email --json'],
    ['properties get BER --json name', 'properties get BER --fields name --json'],
    ['users list --json=id,email', 'users list --fields id,email --json'],
    ["users list --jq '.items[].email'", "users list --query 'items[].email' -r"],
    ["users list --json email --jq '.[].email'", "users list --query 'items[].email' -r"],
    ["users list -q '.items[].email'", "users list --query 'items[].email' -r"],
    ["invitations list --jq '.[].email'", "invitations list --query 'items[].email' -r"],
    ['properties get BER --jq .name', 'properties get BER --query name -r'],
    ['users list --filter role=FrontDesk', 'users list --role FrontDesk'],
    ['users list -l role=FrontDesk', 'users list --role FrontDesk'],
    ['invitations list -l property=BER', 'invitations list --property BER'],
    ['users list --format=json', 'users list --output=json'],
    ['get users', 'users list'],
    ['search users ben', 'users list --search ben'],
    ['users find ben', 'users list --search ben'],
    ['get invitation mia@example.com', 'invitations list'],
    ['get property BER', 'properties get BER'],
    ['describe hotel BER', 'properties get BER'],
    ['hotel BER', 'properties get BER'],
    ['properties list BER', 'properties get BER'],
    ['users list BER', 'users list --property BER'],
    ['delete property MUC', 'properties delete MUC'],
    ['--sandbox delete property MUC', '--sandbox properties delete MUC'],
    ['--profile=sandbox --json get users', '--profile=sandbox --json users list'],
    ['-o csv -n user rm ben@aurora.example', '-o csv -n people offboard ben@aurora.example'],
    ['revoke invite mia@example.com', 'invitations delete mia@example.com'],
    ['delete property', 'properties delete --help'],
    ['edit property BER', 'properties update BER'],
    ['create property BER', 'properties create --help'],
    ['apply -f hotel.yaml', 'apply hotel.yaml'],
    ['create -f hotel.yaml', 'apply hotel.yaml'],
    ['diff -f hotel.yaml', 'plan hotel.yaml'],
    ['import hotels.csv', 'apply hotels.csv'],
    ['import users hotels.csv', 'apply hotels.csv'],
    ['validate hotels.csv', 'plan hotels.csv'],
    ['export users', 'export --kind users'],
    ['users view ben@aurora.example', 'users get ben@aurora.example'],
    ['users roles ben@aurora.example', 'users get ben@aurora.example'],
    ['people list', 'users list'],
    ['users rm ben@aurora.example', 'people offboard ben@aurora.example'],
    ['users remove ben@aurora.example', 'people offboard ben@aurora.example'],
    ['users offboard ben@aurora.example', 'people offboard ben@aurora.example'],
    ['users deactivate ben@aurora.example', 'users disable ben@aurora.example'],
    ['users add mia@example.com', 'invite mia@example.com'],
    ['users invite mia@example.com', 'invite mia@example.com'],
    ['user add mia@example.com --role "Front Desk" BER', "invite mia@example.com --role 'Front Desk' BER"],
    ['users add-property ben@aurora.example VIE', 'users grant ben@aurora.example VIE'],
    ['users remove-property ben@aurora.example MUC', 'users revoke ben@aurora.example MUC'],
    ['auth switch vienna', 'profiles use vienna'],
    ['auth switch', 'profiles use --help'],
    ['config use-context vienna', 'profiles use vienna'],
    ['config set-context vienna', 'profiles add --help'],
    ['config get-contexts', 'profiles list'],
    ['ls properties', 'properties list'],
    ['properties retrieve BER', 'properties get BER'],
    ['audit', 'history'],
    ['events', 'history'],
    ['rollback', 'undo --help'],
    ['docs', 'help'],
    ['properties BER', 'properties get BER'],
    ['users lst', 'users list'],
    ['whoami --josn', 'whoami --json'],
    ['Properties list', 'properties list'],
    ['invitation creat', 'invitations create --help'],
    ['users list --limt 3', 'users list --limit 3'],
    ['roles list --limt=3', 'roles list --limit=3'],
    ['users list -n 3', 'users list --limit 3'],
    ['users list --role FrontDesk -n BER', 'users list --role FrontDesk --property BER'],
    ['users list --status=disabled', 'users list --enabled false'],
    ['invitations --property BER', 'invitations list --property BER'],
    ['invitations mia@example.com delete', 'invitations delete mia@example.com'],
    ['users ben@aurora.example disable', 'users disable ben@aurora.example'],
    ['users list --page 2 --per-page 5', 'users list --page-number 2 --page-size 5'],
    ['users update ben@aurora.example --enabled false', 'users update ben@aurora.example --disable'],
    ['users create --email mia@example.com --hotel BER', 'invite --email mia@example.com --property BER'],
    ['users create mia@example.com --admin', 'invite mia@example.com --is-account-admin'],
    ['users delete --id ben@aurora.example', 'people offboard ben@aurora.example'],
    ['invitations delete --email mia@example.com', 'invitations delete mia@example.com'],
    ['suspend ben@aurora.example', 'users disable ben@aurora.example'],
    ['patch property BER --dry', 'properties update BER --dry-run'],
    ['invite --file hotels.csv', 'apply hotels.csv'],
    ['apply hotel.yaml --dry-run=server', 'apply hotel.yaml --dry-run'],
    ['access show ben@aurora.example', 'access ben@aurora.example'],
    ['access list', 'access report'],
    ['access grant ben@aurora.example VIE', 'users grant ben@aurora.example VIE'],
    ['history BER', 'history --property BER'],
    ['export hotels', 'export --kind properties'],
    ['schema hotels', 'schema manifest'],
    ['api /api/v1/users -X GET', 'api GET /api/v1/users'],
  ])('innctl %s', async (line, meant) => {
    expect(await hintOf(line)).toEqual({ exitCode: 2, stdout: '', hint: `innctl ${meant}` });

    const words = wordsOf(`innctl ${meant}`).map((word) =>
      word.startsWith('hotel') ? join(folder, word) : word,
    );
    // At a terminal these ask for what is missing.
    const terminal = ['update', 'mia@example.com'].includes(words[1] ?? '') ? { answers: [] } : {};
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

test.each([
  ['roles assign ben@aurora.example FrontDesk', "Set roles in the service's web app."],
  ['users update ben@aurora.example --role FrontDesk', "Set roles in the service's web app."],
  ['update', 'Update with npm install -g innctl, or from the page of releases.'],
  ['login -u ana@example.com -p hunter2', 'innctl login'],
])('innctl %s: %s', async (line, hint) => {
  expect(await hintOf(line)).toEqual({ exitCode: 2, stdout: '', hint });
});

test('the hint for a command of the dialect apaleo in the sandbox has that dialect', async () => {
  expect(await hintOf('--sandbox get rooms')).toMatchObject({
    hint: 'INNCTL_DIALECT=apaleo innctl --sandbox units list',
  });
});

describe('a wrong line is no hint: the page of the command is', () => {
  test.each([
    ['nonsense', 'innctl'],
    ['init', 'innctl'],
    ['delete -f hotel.yaml', 'innctl'],
    ['archive BER', 'innctl'],
    ['disinvite mia@example.com', 'innctl'],
    ['properties get-live BER', 'innctl properties'],
    ['properties undelete BER', 'innctl properties'],
    ['properties nonsense', 'innctl properties'],
    ['properties list Berlin', 'innctl properties list'],
    ['properties exists BER MUC', 'innctl properties exists'],
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
