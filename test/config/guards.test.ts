import { describe, expect, test } from 'vitest';
import { parseGiven, resolveSettings } from '../../src/config/resolve.ts';
import { type Setting, settingTable } from '../../src/config/settings.ts';

/** The settings of a run with --profile chain and these guards in the profile. */
function resolve(profile: object, env: Record<string, string> = {}) {
  const document = { version: 1 as const, profiles: { chain: { ...profile } } };
  return resolveSettings({ flags: { profile: 'chain' }, env, document });
}

const effective = (key: string, ...given: Parameters<typeof resolve>) => {
  const found = resolve(...given).effective.find(({ setting }) => setting.key === key);
  return found && { value: found.value, source: found.source };
};

describe('safety', () => {
  test.each([
    [undefined, undefined, 'none', 'default'],
    [undefined, 'no-delete', 'no-delete', 'INNCTL_SAFETY'],
    ['none', 'no-delete', 'no-delete', 'INNCTL_SAFETY'],
    ['no-delete', 'no-update', 'no-update', 'INNCTL_SAFETY'],
    ['no-update', 'no-update', 'no-update', 'INNCTL_SAFETY and profile chain'],
  ])('profile %s and variable %s: %s (%s)', (stored, exported, value, source) => {
    const profile = stored === undefined ? {} : { safety: stored };
    const env: Record<string, string> = exported === undefined ? {} : { INNCTL_SAFETY: exported };

    expect(resolve(profile, env).guards.safety).toEqual({ value, source });
  });
});

describe('lists of guards', () => {
  test('of all sources are merged, each with its source', () => {
    const profile = { protect: ['BER', 'MUC'], freeze: '2026-12-24, 2026-12-31/2027-01-06' };
    const env = { INNCTL_PROTECT: 'LIVE-*,BER', INNCTL_FREEZE: '2026-05-01' };

    expect(resolve(profile, env).guards).toEqual({
      safety: { value: 'none', source: 'default' },
      protect: [
        { value: ['LIVE-*', 'BER'], source: 'INNCTL_PROTECT' },
        { value: ['BER', 'MUC'], source: 'profile chain' },
      ],
      freeze: [
        { value: ['2026-05-01'], source: 'INNCTL_FREEZE' },
        { value: ['2026-12-24', '2026-12-31..2027-01-06'], source: 'profile chain' },
      ],
    });
    expect(effective('protect', profile, env)).toEqual({
      value: ['LIVE-*', 'BER', 'MUC'],
      source: 'INNCTL_PROTECT and profile chain',
    });
  });

  test('an empty list of the profile removes nothing', () => {
    expect(effective('protect', { protect: [] }, { INNCTL_PROTECT: 'BER' })).toEqual({
      value: ['BER'],
      source: 'INNCTL_PROTECT',
    });
  });

  test('the sandbox uses its own guards and those of the environment', () => {
    const { guards } = resolveSettings({
      flags: { profile: 'sandbox' },
      env: { INNCTL_SAFETY: 'no-delete', INNCTL_FREEZE: '2026-12-24' },
      document: { version: 1, profiles: { sandbox: { protect: ['BER'] } } },
    });

    expect(guards).toEqual({
      safety: { value: 'no-delete', source: 'INNCTL_SAFETY' },
      protect: [{ value: ['BER'], source: 'profile sandbox' }],
      freeze: [{ value: ['2026-12-24'], source: 'INNCTL_FREEZE' }],
    });
  });
});

describe('an invalid guard stops every command', () => {
  test.each(['INNCTL_EXPECT_ACCOUNT', 'INNCTL_SAFETY', 'INNCTL_PROTECT', 'INNCTL_FREEZE'])(
    '%s that is set and empty',
    (field) => {
      const reason = 'is set and empty, and guards nothing: give it a value, or unset it';

      expect(() => resolve({ safety: 'read-only', protect: ['BER'] }, { [field]: '' })).toThrow(
        expect.objectContaining({ exitCode: 2, details: [{ field, reason }] }),
      );
    },
  );

  const level = 'is not one of none, no-delete, no-update, read-only';

  test.each<[string, object, Record<string, string>, string, string]>([
    ['in the profile', { safety: 'readonly' }, {}, 'safety', `"readonly" ${level}; did you mean read-only?`],
    [
      'in the source with lower precedence',
      { safety: 'on' },
      { INNCTL_SAFETY: 'read-only' },
      'safety',
      `"on" ${level}`,
    ],
    ['as a list of levels', { safety: ['none'] }, {}, 'safety', 'must be a text, a number, true or false'],
    ['as a list that is true', { protect: true }, {}, 'protect', 'must be a list of texts'],
    ['as a list of numbers', { protect: [4711] }, {}, 'protect', 'has an entry that is not text'],
    [
      'as a regular expression',
      { protect: ['^BER$'] },
      {},
      'protect',
      '"^BER$" has a character that no id has; commas separate entries, and only * is a wildcard',
    ],
  ])('%s', (_, profile, env, key, reason) => {
    const details = [{ field: `config.json: profiles.chain.${key}`, reason }];

    expect(() => resolve(profile, env)).toThrow(expect.objectContaining({ exitCode: 2, details }));
  });

  test('but not in an inactive profile', () => {
    const document = { version: 1, profiles: { chain: {}, inn: { safety: 'on' } } } as const;

    const { guards } = resolveSettings({ flags: { profile: 'chain' }, env: {}, document });

    expect(guards).toEqual({ safety: { value: 'none', source: 'default' }, protect: [], freeze: [] });
  });

  test('in several sources at once', () => {
    expect(() =>
      resolve({ freeze: ['2026-02-30'], protect: ['two words'] }, { INNCTL_PROTECT: ',' }),
    ).toThrow(
      expect.objectContaining({
        details: [
          { field: 'INNCTL_PROTECT', reason: 'has an empty entry' },
          {
            field: 'config.json: profiles.chain.protect',
            reason:
              '"two words" has a character that no id has; commas separate entries, and only * is a wildcard',
          },
          {
            field: 'config.json: profiles.chain.freeze',
            reason: '"2026-02-30" has a day that does not exist',
          },
        ],
      }),
    );
  });
});

describe('entries of guards', () => {
  const parse = (key: 'protect' | 'freeze', given: unknown) =>
    parseGiven(settingTable[key] as Setting, given, { insecureHttp: false });

  test.each<['protect' | 'freeze', unknown, readonly string[]]>([
    ['protect', ' BER , LIVE-* ', ['BER', 'LIVE-*']],
    ['protect', ['BER', 'BER', 'ber'], ['BER', 'ber']],
    ['protect', '*@hotel.example', ['*@hotel.example']],
    ['protect', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
    ['freeze', '2026-12-20/2027-01-06', ['2026-12-20..2027-01-06']],
    ['freeze', '2026-12-20..2026-12-20', ['2026-12-20']],
    ['freeze', ['2028-02-29', '0001-01-01..9999-12-31'], ['2028-02-29', '0001-01-01..9999-12-31']],
  ])('%s accepts %j', (key, given, value) => {
    expect(parse(key, given)).toEqual({ value });
  });

  test.each<['protect' | 'freeze', unknown, string]>([
    ['protect', 'BER,,VIE', 'has an empty entry'],
    [
      'protect',
      'BE R',
      '"BE R" has a character that no id has; commas separate entries, and only * is a wildcard',
    ],
    [
      'protect',
      'BER;VIE',
      '"BER;VIE" has a character that no id has; commas separate entries, and only * is a wildcard',
    ],
    ['protect', 'BER\u0000', '"BER\\u0000" has control or invisible characters'],
    ['protect', ['x'.repeat(257)], `"${'x'.repeat(59)}…" is longer than 256 characters`],
    ['protect', [['BER']], 'has an entry that is not text'],
    [
      'protect',
      ['B R', 1],
      '"B R" has a character that no id has; commas separate entries, and only * is a wildcard; has an entry that is not text',
    ],
    ['freeze', '2026-02-29', '"2026-02-29" has a day that does not exist'],
    ['freeze', '2027-01-06..2026-12-20', '"2027-01-06..2026-12-20" ends before it begins'],
    ['freeze', '20.12.2026', '"20.12.2026" is not a date or a range such as 2026-12-20..2027-01-06'],
    ['freeze', '２０２６-12-20', '"２０２６-12-20" is not a date or a range such as 2026-12-20..2027-01-06'],
    ['freeze', '', 'has an empty entry'],
  ])('%s rejects %j', (key, given, reason) => {
    expect(parse(key, given)).toEqual({ reason });
  });
});
