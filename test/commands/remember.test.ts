import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const pathOf = (folder: string, name: string) => join(folder, 'state', 'completion', name);

const cached = (folder: string, name: string) =>
  existsSync(pathOf(folder, name)) ? readFileSync(pathOf(folder, name), 'utf8') : undefined;

const writeCache = (folder: string, name: string, text: string) => {
  mkdirSync(dirname(pathOf(folder, name)), { recursive: true });
  writeFileSync(pathOf(folder, name), text);
};

const add = (folder: string, name: string) =>
  cli(
    `profiles add ${name} --identity-url https://identity.chain.example --base-url https://api.chain.example --token-file - --insecure-storage`,
    { folder, stdin: 'token-of-ben-1234567890' },
  );

const answers = (area: 'api' | 'identity', path: string, body: nock.Body, host = 'example.com') =>
  nock(`https://${area}.${host}`).get(path).query(true).reply(200, body);
const answersProperties = (items: readonly unknown[], count = items.length) =>
  answers('api', '/inventory/v1/properties', { count, items });

const OWN = 'by-profile/_environment/properties';
const hotel = (id: string) => ({ id, name: { de: `Hotel ${id}`, en: `Inn ${id}` } });

onlyIntercepted();

describe('a list command writes the completion cache', () => {
  test('properties with their English name, or the first one without it', async ({ folder }) => {
    answersProperties([hotel('BER'), { id: 'MUC', name: { de: 'Isarhotel' } }, { id: 'VIE', name: 'Ring' }]);

    await cli('properties list', { folder, env: hotels });

    expect(cached(folder, OWN)).toBe('BER\tInn BER\nMUC\tIsarhotel\nVIE\tRing\n');
  });

  test('roles and countries', async ({ folder }) => {
    answers('identity', '/api/v1/roles', { roles: ['Auditor', 'Front Desk'] });
    answers('api', '/inventory/v1/types/countries', {
      countryCodes: ['AT', { code: 'DE', name: 'Germany' }],
    });

    await cli('roles list', { folder, env: hotels });
    await cli('countries list', { folder, env: hotels });

    expect(cached(folder, 'by-profile/_environment/roles')).toBe('Auditor\t\nFront Desk\t\n');
    expect(cached(folder, 'by-profile/_environment/countries')).toBe('AT\t\nDE\tGermany\n');
  });

  test('with owner-only modes, whatever mode the folder had before', async ({ folder }) => {
    answersProperties([hotel('BER')]);
    mkdirSync(pathOf(folder, 'by-profile'), { recursive: true, mode: 0o755 });

    await cli('properties list', { folder, env: hotels });

    const modes = ['', 'by-profile', 'by-profile/_environment', OWN].map((name) =>
      (statSync(pathOf(folder, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '700', '700', '600']);
  });
});

describe('the completion cache is per target', () => {
  test('the sandbox has its own cache, and "sandbox reset" clears it', async ({ folder }) => {
    nock.enableNetConnect('127.0.0.1');
    await cli('--sandbox properties list', { folder, connect: connectUndici });
    const before = cached(folder, 'by-profile/sandbox/properties');

    await cli('sandbox reset', { folder });

    expect(before).toMatch(/^BER\t[^\t\n]+\nMUC\t[^\t\n]+\nVIE\t[^\t\n]+\n$/);
    expect(cached(folder, 'by-profile/sandbox/properties')).toBeUndefined();
  });

  test('a profile has its own cache, also when variables name another service', async ({ folder }) => {
    await add(folder, 'chain');
    answers('api', '/inventory/v1/properties', { count: 1, items: [hotel('HAM')] }, 'chain.example');
    answersProperties([hotel('BER')]);

    await cli('-p chain properties list', { folder, env: hotels });
    await cli('properties list', { folder, env: hotels });

    expect(cached(folder, 'by-profile/chain/properties')).toBe('HAM\tInn HAM\n');
    expect(cached(folder, OWN)).toBe('BER\tInn BER\n');
  });

  test('an invalid profile name is never used as a path', async ({ folder }) => {
    const profile = { identity_url: 'https://identity.example.com', base_url: 'https://api.example.com' };
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({
        active_profile: '../../escaped',
        profiles: { '../../escaped': profile, 'a b': profile },
      }),
    );
    answersProperties([hotel('BER')]);

    const { exitCode } = await cli('properties list', {
      folder,
      env: { INNCTL_TOKEN: 'token-of-ana-1234567890' },
    });

    expect(exitCode).toBe(0);
    expect([existsSync(join(folder, 'state/escaped')), existsSync(pathOf(folder, 'by-profile'))]).toEqual([
      false,
      false,
    ]);
  });
});

describe('merging and size limit', () => {
  test.for<[string, string, string]>([
    ['a complete list replaces the cache', '', 'MUC\tInn MUC\nVIE\tInn VIE\n'],
    ['a truncated list is merged into the cache', '--limit 1', 'MUC\tInn MUC\nBER\tOld\n'],
    ['a single page is merged into the cache', '--page-number 1', 'MUC\tInn MUC\nVIE\tInn VIE\nBER\tOld\n'],
    [
      'a filtered list is merged into the cache',
      '--param status=Live',
      'MUC\tInn MUC\nVIE\tInn VIE\nBER\tOld\n',
    ],
  ])('%s', async ([, flags, text], { folder }) => {
    writeCache(folder, OWN, 'BER\tOld\nMUC\tOld\n');
    answersProperties([hotel('MUC'), hotel('VIE')]);

    await cli(`properties list ${flags}`, { folder, env: hotels });

    expect(cached(folder, OWN)).toBe(text);
  });

  test.for(['', '--limit 1'])(
    'an unpaginated response is cached whole, whatever part "countries list %s" prints',
    async (flags, { folder }) => {
      const countries = Array.from({ length: 249 }, (_, index) => `C${index}`);
      writeCache(folder, 'by-profile/_environment/countries', 'XX\t\n');
      answers('api', '/inventory/v1/types/countries', { countryCodes: countries });

      await cli(`countries list ${flags}`, { folder, env: hotels });

      expect(cached(folder, 'by-profile/_environment/countries')).toBe(
        countries.map((code) => `${code}\t\n`).join(''),
      );
    },
  );

  test('a list shorter than its count is merged into the cache', async ({ folder }) => {
    writeCache(folder, OWN, 'BER\tOld\n');
    answersProperties([hotel('MUC')], 3);
    answersProperties([], 3);

    const { stderr } = await cli('properties list', { folder, env: hotels });

    expect(stderr).toContain('The service counts 3 records and listed 1.');
    expect(cached(folder, OWN)).toBe('MUC\tInn MUC\nBER\tOld\n');
  });

  test('the cache keeps the 5,000 most recent entries', async ({ folder }) => {
    const old = Array.from({ length: 5_000 }, (_, index) => `OLD${index}\t\n`);
    writeCache(folder, OWN, old.join(''));
    answersProperties([hotel('BER'), hotel('MUC')]);

    await cli('properties list --limit 1', { folder, env: hotels });

    expect(cached(folder, OWN)).toBe(`BER\tInn BER\n${old.slice(0, 4_999).join('')}`);
  });

  test('a failed list, and one whose output pipe is closed, are not cached', async ({ folder }) => {
    nock('https://api.example.com').get('/inventory/v1/properties').query(true).reply(403);
    answersProperties([hotel('BER')]);

    await cli('properties list', { folder, env: hotels });
    await cli('properties list', { folder, env: hotels, closesAfter: 0 });

    expect(cached(folder, OWN)).toBeUndefined();
  });
});

describe('values that are not cached', () => {
  test.for<[string, unknown]>([
    ['a control character', 'B\u001b[2JER'],
    ['a newline', 'B\nER'],
    ['201 characters', 'B'.repeat(201)],
    ['an empty string', ''],
    ['a value that is not a string', { id: 'BER' }],
    ['a secret', hotels.INNCTL_TOKEN],
  ])('a value that is or contains %s', async ([, id], { folder }) => {
    answersProperties([{ id, name: 'Inn' }, hotel('MUC'), { id: 7, name: 'Seven' }]);

    await cli('properties list', { folder, env: hotels });

    expect(cached(folder, OWN)).toBe('MUC\tInn MUC\n7\tSeven\n');
  });

  test.for<[string, unknown, string]>([
    ['is escaped to one line', 'Inn\n\t\u001b\u202e', 'Inn\\n\\t\\u{1b}\\u{202e}'],
    ['is truncated at 80 characters', 'x'.repeat(100_000), `${'x'.repeat(79)}…`],
    ['is not truncated inside a surrogate pair', `${'x'.repeat(78)}😀xx`, `${'x'.repeat(78)}…`],
    ['has a secret redacted', `Inn ${hotels.INNCTL_TOKEN}`, 'Inn [redacted]'],
    ['is empty for a list', ['Inn'], ''],
  ])('a description %s', async ([, name, text], { folder }) => {
    answersProperties([{ id: 'BER', name }]);

    await cli('properties list', { folder, env: hotels });

    expect(cached(folder, OWN)).toBe(`BER\t${text}\n`);
  });
});

describe('e-mail addresses in the cache', () => {
  const ON = { ...hotels, INNCTL_COMPLETE_EMAILS: 'yes' };
  const USERS = 'by-profile/_environment/user-emails';
  const INVITED = 'by-profile/_environment/invitation-emails';
  const ana = { subject_id: 'u-1', email: 'ana@example.com', first_name: 'Ana' };
  const ben = { email: 'ben@example.com' };
  const answersUsersAndInvitations = () => {
    answers('identity', '/api/v1/users', { count: 1, items: [ana] });
    answers('identity', '/api/v1/invitations', { count: 1, items: [ben] });
  };

  test('are cached only while INNCTL_COMPLETE_EMAILS is on', async ({ folder }) => {
    answersUsersAndInvitations();

    await cli('users list', { folder, env: ON });
    await cli('invitations list', { folder, env: ON });

    expect([cached(folder, USERS), cached(folder, INVITED)]).toEqual([
      'ana@example.com\t\n',
      'ben@example.com\t\n',
    ]);
  });

  test('those of one property are merged with the others', async ({ folder }) => {
    writeCache(folder, USERS, 'ben@example.com\t\n');
    writeCache(folder, INVITED, 'ana@example.com\t\n');
    answersUsersAndInvitations();

    await cli('users list --property BER', { folder, env: ON });
    await cli('invitations list --property BER', { folder, env: ON });

    expect([cached(folder, USERS), cached(folder, INVITED)]).toEqual([
      'ana@example.com\t\nben@example.com\t\n',
      'ben@example.com\t\nana@example.com\t\n',
    ]);
  });

  test.for(['users list', 'invitations list'])(
    'are not cached otherwise, and "%s" removes cached ones',
    async (line, { folder }) => {
      writeCache(folder, USERS, 'ana@example.com\t\n');
      writeCache(folder, INVITED, 'ben@example.com\t\n');
      writeCache(folder, OWN, 'BER\t\n');
      answers('identity', `/api/v1/${line.replace(' list', '')}`, { count: 0, items: [] });

      await cli(line, { folder, env: hotels });

      expect([cached(folder, USERS), cached(folder, INVITED), cached(folder, OWN)]).toEqual([
        undefined,
        undefined,
        'BER\t\n',
      ]);
    },
  );
});

describe('profiles', () => {
  test('the cache of a profile is cleared when it is removed or points to another service', async ({
    folder,
  }) => {
    const BER = 'by-profile/chain/properties';
    await add(folder, 'chain');
    writeCache(folder, BER, 'BER\t\n');
    writeCache(folder, 'by-profile/inn/properties', 'MUC\t\n');

    await cli('profiles remove chain', { folder });
    const removed = cached(folder, BER);
    writeCache(folder, BER, 'BER\t\n');
    await add(folder, 'chain');

    expect([removed, cached(folder, BER), cached(folder, 'by-profile/inn/properties')]).toEqual([
      undefined,
      undefined,
      'MUC\t\n',
    ]);
  });
});
