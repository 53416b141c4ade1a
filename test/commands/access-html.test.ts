import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, ben as benAtBoth, paul as paulAtBer, serveAccess } from '../helpers/account.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, 'access.html');
});

const ben = { ...benAtBoth, firstName: '<b>Ben</b>', properties: [{ id: 'BER', roles: ['FrontDesk'] }] };
const paul = { ...paulAtBer, created: '2026-01-01T08:00:00Z', properties: ['MUC'] };
const berlin = { id: 'BER', name: 'Berlin' };
const munich = { id: 'MUC', name: 'München' };

/** @param meanwhile happens while the account is read. */
const account = (users: readonly object[] = [ana, ben], meanwhile = async () => {}) =>
  serveAccess({ users, invitations: [paul], properties: [berlin, munich], meanwhile });

function report(...flags: readonly string[]) {
  return cli(['access', 'report', '--html', path, ...flags], { env: hotels });
}

describe('access report --html', () => {
  test('writes a page that only its owner may read, under any umask', async () => {
    account();
    const umask = process.umask(0);

    const result = await report('--invitation-days', '30').finally(() => process.umask(umask));

    const page = await readFile(path, 'utf8');
    expect(result).toEqual(ended(0, `Wrote ${path}, which only you may read.\n`));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['access.html']);
    expect(page).toContain('<title>Who can do what: https://identity.example.com, ');
    expect(page).toContain('3 people, of them 1 active account admin and 1 expired.');
    expect(page).toContain('&lt;b&gt;Ben&lt;/b&gt; Schuster');
    expect(page).not.toContain('findings</h2>');
  });

  test('has a matrix with empty cells where there is no access, and a list of people', async () => {
    account([ana, { ...ben, properties: [{ id: 'BER', roles: ['FrontDesk', 'Auditor'] }] }]);

    await report();

    const page = await readFile(path, 'utf8');
    const tables = page.split('<table').slice(1);
    const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '').trim();
    const rowsOf = (table = '') =>
      [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
        [...row.matchAll(/<t[hd].*?<\/t[hd]>/g)].map(([cell]) => textOf(cell)),
      );
    expect(tables.map(rowsOf)).toEqual([
      [
        ['Person', 'BER', 'MUC'],
        ['Ana Berg ana@example.com', '*', '*'],
        ['&lt;b&gt;Ben&lt;/b&gt; Schuster ben@example.com', 'AU FD', ''],
        ['paul@example.com (invited)', '', '(AU)'],
      ],
      [
        ['E-mail', 'Name', 'State', 'Access', 'MFA', 'Invited'],
        ['ana@example.com', 'Ana Berg', 'user: active', 'every property: account admin', 'on', ''],
        [
          ...['ben@example.com', '&lt;b&gt;Ben&lt;/b&gt; Schuster', 'user: active'],
          ...['BER (Berlin): Auditor, FrontDesk', 'off', ''],
        ],
        [
          ...['paul@example.com', '', 'invitation: invited', 'MUC (München): Auditor', ''],
          '2026-01-01T08:00:00Z ana@example.com',
        ],
      ],
    ]);
    expect(textOf(/<caption>.*?<\/caption>/.exec(page)?.[0] ?? '')).toBe(
      'AU Auditor · FD FrontDesk · * account admin · - no role · ? not shown · ( ) not now',
    );
  });

  test('shows what is against a policy first', async () => {
    account();
    const policy = join(folder, 'policy.yaml');
    await writeFile(policy, 'version: 1\nadmins:\n  only: [ben@example.com]\n');
    const { INNCTL_IDENTITY_URL: identity_url, INNCTL_BASE_URL: base_url } = hotels;
    const profile = { identity_url, base_url, auth: 'token' };
    await writeFile(
      join(folder, 'config.json'),
      JSON.stringify({ version: 1, profiles: { chain: profile } }),
    );
    const credential = { origins: [identity_url, base_url], token: hotels.INNCTL_TOKEN };
    await writeFile(
      join(folder, 'credentials.json'),
      JSON.stringify({ version: 1, profiles: { chain: credential } }),
    );

    const { exitCode, stdout } = await cli(
      ['access', 'report', '--html', path, '--json', '--policy', policy, '--profile', 'chain'],
      { folder },
    );

    const page = await readFile(path, 'utf8');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { html: path, count: 3, findings: 1 }]);
    expect(page).toMatch(/<bdi>innctl --profile chain [a-z]/);
    expect(page.indexOf('1 finding</h2>')).toBeGreaterThan(0);
    expect(page.indexOf('1 finding</h2>')).toBeLessThan(page.indexOf('People and properties</h2>'));
  });

  test('masks secrets that records contain', async () => {
    account([ana, { ...ben, lastName: hotels.INNCTL_TOKEN }]);

    await report();

    const page = await readFile(path, 'utf8');
    expect(page).toContain('&lt;b&gt;Ben&lt;/b&gt; [redacted]');
    expect(page).not.toContain(hotels.INNCTL_TOKEN);
  });

  test('replaces a file with --force alone', async () => {
    await writeFile(path, 'precious', { mode: 0o644 });

    expect(await report()).toEqual(
      ended(2, `error: --html: ${path} exists\nhint: innctl access report --html ${path} --force\n`),
    );
    expect(await readFile(path, 'utf8')).toBe('precious');

    account();
    expect((await report('--force')).exitCode).toBe(0);
    expect(await readFile(path, 'utf8')).toMatch(/^<!doctype html>/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('does not write over a file that came while it was reading', async () => {
    account([ana], () => writeFile(path, 'precious'));

    expect(await report()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`--html: ${path} exists`),
    });
    expect(await readFile(path, 'utf8')).toBe('precious');
  });

  test.each([[[]], [['--force']]])('does not write through a link, nor replace one: %j', async (flags) => {
    const target = join(folder, 'target');
    await writeFile(target, 'precious');
    await symlink(target, path);

    expect(await report(...flags)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`--html: ${path} is a link, or not a file`),
    });
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toBe('precious');
  });

  test('rejects a folder before anything is sent', async () => {
    await mkdir(path);

    expect(await report('--force')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('not a file'),
    });
  });

  test.each([
    ['access report --policy policy.yaml', '--policy needs --html.'],
    ['access report --force', '--force needs --html.'],
    ['access report --html a.html --for-review', 'use one of them'],
    ['access report --html a.html --policy p.yaml --property BER', '--policy judges the whole account'],
    ['access report --html -', 'is not the name of a file'],
  ])('%s is exit 2', async (line, reason) => {
    const { exitCode, stdout, stderr } = await cli(line, { env: hotels });

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
  });
});
