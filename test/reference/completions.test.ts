import { readFileSync } from 'node:fs';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionData } from '../../scripts/build/reference-page.mts';
import { keepList } from '../../src/commands/remember.ts';
import { readConfig } from '../../src/config/file.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import type { Context } from '../../src/model/ports.ts';
import { answerCompletion } from '../../src/reference/complete-door.ts';
import { shells } from '../../src/reference/values.ts';
import { topicNames } from '../../src/session/command-line.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { stubs } from '../helpers/stubs.ts';
import { commandModel } from './tree.ts';

const data = completionData(await commandModel());

const activeChain = JSON.stringify({
  version: 1,
  active_profile: 'chain',
  profiles: { inn: {}, chain: {}, '../../x': {} },
});

/** Files below INNCTL_CONFIG_DIR. */
const files = {
  'config.json': activeChain,
  'state/completion/by-profile/chain/properties': 'BER\tGrand Hotel\nMUC\tInn: the old one\nVIE\t\n',
  'state/completion/by-profile/chain/roles': 'Front Desk\t\n',
  'state/completion/by-profile/chain/user-emails': 'ana@example.com\t\n',
};

async function opened(given: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(given)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The lines that `innctl __complete` prints. */
async function answered(words: readonly string[], given = files, env: Readonly<Record<string, string>> = {}) {
  const folder = await opened(given);
  return answerIn(folder, words, env);
}

function answerIn(folder: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const outside = { env: { INNCTL_CONFIG_DIR: folder, ...env }, platform: 'linux' } as const;
  const text = answerCompletion(words, () => data, outside);
  expect(text.endsWith('\n')).toBe(true);
  return text.slice(0, -1).split('\n');
}

/** The candidates without descriptions. */
const valuesOf = (lines: readonly string[]) => lines.slice(0, -1).map((line) => line.split('\t')[0]);

describe('innctl __complete', () => {
  test('prints candidates with descriptions, and a directive', async () => {
    expect(await answered(['properties', 'get', ''])).toEqual([
      'BER\tGrand Hotel',
      'MUC\tInn: the old one',
      'VIE\t',
      ':nothing\t',
    ]);
  });

  test.each<[line: string, values: readonly string[]]>([
    ['prop', ['properties']],
    ['roles l', ['list']],
    ['invite cr', ['create']],
    ['help prop', ['properties']],
    ['help', ['help']],
    ['help properties cre', ['create']],
    ['--output j', ['json']],
    ['--output=j', ['--output=json']],
    ['-o', ['-o']],
    ['-x', []],
    ['roles list --sa', ['--sandbox']],
    ['--sandbox --sa', []],
    ['sandbox serve --fault cut --faul', ['--fault']],
    ['-p ', ['chain', 'inn', 'sandbox']],
    ['profiles use i', ['inn']],
    ['invitations create --role Fr', ['Front Desk']],
    ['invitations create --properties BER,', ['BER,MUC', 'BER,VIE']],
    ['invitations create mia@example.com B', ['BER']],
    ['invite mia@example.com BER,', ['BER,MUC', 'BER,VIE']],
    ['invite mia@example.com --role Fr', ['Front Desk']],
    ['hotels get B', ['BER']],
    ['users dis', ['disable']],
    ['invitations create --properties=BER,M', ['--properties=BER,MUC']],
    ['users list --enabled --so', ['--sort']],
    ['users list --enabled=t', ['--enabled=true']],
    ['properties get BER M', ['MUC']],
    ['properties exists BER M', []],
    ['properties get -- B', ['BER']],
    ['properties get -- -', []],
    ['-- prop', []],
    ['nonsense prop', []],
    ['properties nonsense --js', []],
    ['api --field name=x G', ['GET']],
    ['config set sa', ['safety']],
    ['config set safety no', ['none', 'no-delete', 'no-update']],
    ['config set output=x j', []],
    ['config set no_input t', ['true']],
    ['config set timeout ', []],
    ['properties create --time-zone Europe/Be', ['Europe/Belgrade', 'Europe/Berlin']],
    ['properties create --currency-code EU', ['EUR']],
    ['properties create --country-code A', ['AD', 'AE', 'AF', 'AG', 'AI', 'AL', 'AM', 'AO', 'AQ', 'AR']],
    ['properties get --languages en,d', ['en,da', 'en,de', 'en,dv', 'en,dz']],
    ['properties create --name d', ['da=', 'de=', 'dv=', 'dz=']],
    ['users get a', []],
  ])('%s', async (line, expected) => {
    const values = valuesOf(await answered(line.split(' ')));

    expect(values.slice(0, 10)).toEqual(expected);
  });

  test('offers topics and commands after help', async () => {
    expect(valuesOf(await answered(['help', '']))).toEqual(
      expect.arrayContaining([...topicNames, 'properties', 'help']),
    );
  });

  test('offers flags of the command first, then global ones, each once', async () => {
    const values = valuesOf(await answered(['roles', 'list', '--limit', '5', '--']));

    expect(values.slice(0, 3)).toEqual(['--all', '--page-number', '--page-size']);
    expect(values.at(-1)).toBe('--help');
    expect(new Set(values).size).toBe(values.length);
    const global = valuesOf(await answered(['--']));
    expect(new Set(global).size).toBe(global.length);
  });

  test.each([
    ['apply x', ':files\t'],
    ['apply --plan=x', ':files\t--plan='],
    ['--ca-file ', ':files\t'],
    ['config set ca_file ', ':files\t'],
    ['properties create --name d', ':nospace\t'],
  ])('the directive of %s', async (line, directive) => {
    expect((await answered(line.split(' '))).at(-1)).toBe(directive);
  });

  test('offers the ids of runs, those of the journal that was written last first', async () => {
    const run = (id: string) =>
      JSON.stringify({ is: 'start', at: '2026-11-23T10:00:00Z', run: id, command: 'apply' });
    const folder = await opened({
      ...files,
      'state/journal/a.ndjson': `${'x'.repeat(70_000)}\n${run('r1')}\n{"is":"send","run":"r1"}\n${run('bad id')}\n${run('r2')}\n`,
      'state/journal/b.ndjson': `${run('r3')}\n{"is":"sta`,
      'state/journal/c.ndjson': 'no journal',
    });
    await utimes(join(folder, 'state/journal/a.ndjson'), 1, 1);

    expect(answerIn(folder, ['runs', 'show', ''])).toEqual([
      ...['r3', 'r2', 'r1'].map((id) => `${id}\tapply, 2026-11-23T10:00:00Z`),
      ':nothing\t',
    ]);
  });

  test('offers e-mail addresses only on request', async () => {
    const words = ['users', 'get', ''];

    expect(valuesOf(await answered(words, files, { INNCTL_COMPLETE_EMAILS: 'Yes' }))).toEqual([
      'ana@example.com',
    ]);
    expect(valuesOf(await answered(words, files, { INNCTL_COMPLETE_EMAILS: '0' }))).toEqual([]);
  });

  test('the flags after the cursor count, the words do not', async () => {
    const words = ['--zsh=3', 'properties', 'get', '', 'nonsense', '-p', 'inn'];

    expect(await answered(words)).toEqual([':nothing\t']);
    expect(await answered(['--zsh=1', 'properties', 'get', '', '--output'])).toEqual([
      'BER:Grand Hotel',
      'MUC:Inn: the old one',
      'VIE',
      ':nothing\t',
    ]);
  });

  test.each([
    [[]],
    [['']],
    [['--']],
    [['--zsh=9', 'x']],
    [['--bash']],
    [['--powershell=1', '$%']],
    [['__proto__', '']],
  ])('answers any words: %j', async (words) => {
    expect((await answered(words)).at(-1)).toMatch(/^:nothing\t/);
  });
});

describe('values from files', () => {
  const properties = 'state/completion/by-profile/chain/properties';
  const words = ['properties', 'get', ''];

  test('values with control or invisible characters, without a tab, or like a flag are dropped', async () => {
    const text = [
      'A\u001b[2J\tx',
      'B\u202e\tx',
      'C\tx\u0007',
      'D',
      '\tx',
      '-rf\tx',
      'E\tx\ty',
      `${'F'.repeat(201)}\tx`,
    ];
    const given = { ...files, [properties]: `${text.join('\n')}\nG $(touch x)\t\`x\`\n` };

    expect(await answered(words, given)).toEqual(['G $(touch x)\t`x`', ':nothing\t']);
    expect(valuesOf(await answered(['properties', 'create', '--like=-'], given))).toEqual(['--like=-rf']);
  });

  test.each([
    ['config.json', '{ broken'],
    ['config.json', '[]'],
    ['config.json', 'null'],
    ['config.json', '{"active_profile":"../chain"}'],
    ['config.json', '{"active_profile":["chain"],"profiles":7}'],
    [properties, '\0'],
    [properties, ' '.repeat(9 * 1_048_576)],
  ])('%s with %.30j: no candidates', async (path, text) => {
    expect(await answered(words, { ...files, [path]: text })).toEqual([':nothing\t']);
  });

  test('the first 5,000 lines are searched, later ones are ignored', async () => {
    const text = Array.from({ length: 5_001 }, (_, index) => `H${index + 1}\tHotel\n`).join('');

    const values = valuesOf(await answered(['properties', 'get', 'H50'], { ...files, [properties]: text }));
    expect([values.includes('H5000'), values.includes('H5001')]).toEqual([true, false]);
  });

  test('a profile whose name is a path has none', async () => {
    expect(await answered(words, files, { INNCTL_PROFILE: 'inn/../chain' })).toEqual([':nothing\t']);
  });

  test.each(['{', 'null', '{}'])('broken data of the build: no candidates: %s', (text) => {
    const outside = { env: {}, platform: 'linux' } as const;

    expect(answerCompletion(['--'], () => text, outside)).toBe(':nothing\t\n');
  });

  test('a folder, a pipe or a device is not read', async () => {
    const folder = await opened({
      'config.json': activeChain,
      'state/completion/by-profile/chain/roles/x': '',
    });
    await symlink('/dev/zero', join(folder, properties));

    expect(answerIn(folder, words)).toEqual([':nothing\t']);
    expect(answerIn(folder, ['invitations', 'create', '--role', ''])).toEqual([':nothing\t']);
  });
});

describe('a list stores and completion offers the values of the same owner', () => {
  const owners = ['chain', 'inn', 'sandbox', '_environment'];
  const base = { INNCTL_BASE_URL: 'https://api.example.com' };
  const empty = { INNCTL_BASE_URL: '', INNCTL_IDENTITY_URL: '' };
  const identity = { INNCTL_IDENTITY_URL: 'https://identity.example.com' };

  /** Settings that select a service, and the owner of its completion values. */
  interface Row {
    readonly flag?: '-p inn' | '-p sandbox' | '-p _environment' | '--sandbox';
    /** INNCTL_PROFILE. */
    readonly named?: string;
    /** The argument of `profiles use`. */
    readonly active?: string;
    readonly urls?: Readonly<Record<string, string>>;
    readonly owner: string | undefined;
  }

  const table: readonly Row[] = [
    { owner: undefined },
    { urls: base, owner: '_environment' },
    { active: 'chain', owner: 'chain' },
    { active: 'chain', urls: empty, owner: 'chain' },
    { active: 'chain', urls: base, owner: '_environment' },
    { active: 'chain', urls: identity, owner: '_environment' },
    { active: 'sandbox', owner: 'sandbox' },
    { active: 'sandbox', urls: base, owner: 'sandbox' },
    { named: '', active: 'sandbox', urls: base, owner: 'sandbox' },
    { active: '_environment', owner: undefined },
    { active: '_environment', urls: base, owner: '_environment' },
    { named: 'inn', active: 'chain', owner: 'inn' },
    { named: 'inn', active: 'chain', urls: base, owner: '_environment' },
    { named: 'inn', active: 'sandbox', urls: base, owner: '_environment' },
    { named: 'sandbox', active: 'chain', owner: 'sandbox' },
    { named: 'sandbox', active: 'chain', urls: identity, owner: 'sandbox' },
    { named: '!', active: 'chain', owner: undefined },
    { named: '!', active: 'chain', urls: base, owner: '_environment' },
    { named: '_environment', active: 'chain', owner: undefined },
    { flag: '-p inn', named: 'chain', active: 'sandbox', urls: base, owner: 'inn' },
    { flag: '-p inn', named: 'sandbox', active: 'chain', owner: 'inn' },
    { flag: '-p sandbox', named: 'inn', active: 'chain', urls: identity, owner: 'sandbox' },
    { flag: '-p _environment', active: 'chain', urls: base, owner: undefined },
    { flag: '--sandbox', named: 'inn', active: 'chain', urls: base, owner: 'sandbox' },
  ];

  test.each(table)('%j', async ({ flag, named, active, urls, owner }) => {
    const profiles = { chain: {}, inn: {}, _environment: {}, '!': {} };
    const place = (each: string) => `state/completion/by-profile/${each}/properties`;
    const folder = await opened({
      'config.json': JSON.stringify({ profiles, active_profile: active }),
      ...Object.fromEntries(owners.map((each) => [place(each), 'BEL\t\n'])),
    });
    const env = { ...urls, ...(named === undefined ? {} : { INNCTL_PROFILE: named }) };
    const flags = { profile: flag?.replace(/^-p |^--/, '') };
    const settings = () => resolveSettings({ flags, env, document: readConfig(folder) });
    // keepList uses only the redactor of the context.
    const context = { redactor: { text: (text: string) => text } } as Context;
    const folders = { config: folder, state: join(folder, 'state') };

    keepList('properties', [{ value: 'BER', description: '' }], true, { context, folders, settings });
    const words = [...(flag?.split(' ') ?? []), 'properties', 'get', 'B'];

    const kept = owners.filter((each) => readFileSync(join(folder, place(each)), 'utf8') === 'BER\t\n');
    expect(kept).toEqual(owner === undefined ? [] : [owner]);
    const offered = owner === undefined ? [] : ['BER'];
    expect(valuesOf(answerIn(folder, words, env)).filter((each) => each !== 'BEL')).toEqual(offered);
  });
});

describe('the answer to bash', () => {
  const asked = (before: string, replaced: string, type = '9', compopt = 'builtin') =>
    answered(['--bash', before, '', replaced, type, compopt]);

  test.each([
    ['innctl --output=j', 'j', 'json'],
    ['innctl invite create --role Fr', 'Fr', 'Front\\ Desk'],
    ['innctl invite create --role "Fr', 'Fr', 'Front Desk'],
    ["innctl invite create --role='Fr", 'Fr', 'Front Desk'],
    ['innctl properties get B', 'B', 'BER'],
  ])('%s', async (before, replaced, word) => {
    expect(await asked(before, replaced)).toEqual([word, ':nothing\t']);
  });

  test('a list that is only looked at has descriptions', async () => {
    expect(await asked('innctl properties get ', '', '63')).toEqual([
      'BER  (Grand Hotel)',
      'MUC  (Inn: the old one)',
      'VIE',
      ':nothing\t',
    ]);
  });

  test('without compopt a single word ends with a blank', async () => {
    expect(await asked('innctl prop', 'prop', '', '')).toEqual(['properties ', ':nothing\t']);
  });
});

describe('the answer to PowerShell', () => {
  const asked = (words: readonly string[], after = 0) =>
    answered([`--powershell=${after}`, Buffer.from(words.join('\0')).toString('base64')]);

  test.each([
    ['a word', ['prop', 'prop'], 'properties\tmanage properties'],
    ['any case', ['PROP', 'PROP'], 'properties\tmanage properties'],
    ['the last word of a list', ['invite', 'create', '--properties', 'BER,V', 'V'], 'VIE\tVIE'],
    ['a value that needs quotes', ['invite', 'create', '--role', 'fr', 'fr'], "'Front Desk'\tFront Desk"],
    ['an open quote', ['invite', 'create', '--role', "'fr", "'fr"], "'Front Desk'\tFront Desk"],
    ['a flag with a value', ['--output=j', '--output=j'], '--output=json\tjson'],
  ])('%s', async (_, words, line) => {
    expect(await asked(words)).toEqual([line, ':nothing\t']);
  });

  test('quotes are doubled, also typographic ones', async () => {
    const given = { ...files, 'state/completion/by-profile/chain/roles': "a'b\u2019c`$(x)\t\n" };
    const coded = Buffer.from(['invite', 'create', '--role', '', ''].join('\0')).toString('base64');

    expect(valuesOf(await answered(['--powershell', coded], given))).toEqual(["'a''b\u2019\u2019c`$(x)'"]);
  });
});

describe('the scripts', () => {
  test.each(shells)('%s: has neither tabs nor trailing blanks, and evaluates nothing', (shell) => {
    expect(stubs[shell]).not.toMatch(/\t| $/m);
    expect(stubs[shell].endsWith('\n')).toBe(true);
    expect(stubs[shell].replaceAll(/^ *#.*$/gm, '')).not.toMatch(/\b(?:eval|source|iex|Invoke-\w+)\b/);
  });

  test('bash: uses no syntax that is newer than bash 3.2', () => {
    const newer =
      /declare -[A-Za-z]*[An]|local -[A-Za-z]*[An]|mapfile|readarray|\$\{[^}]*(,,|\^\^)|&>>|\|&|;;&|;&|\[\[ -v|coproc|\$\{[^}]*@[A-Z]\}|read [^\n]*-[iN]|\[-1\]/;

    expect(stubs.bash).not.toMatch(newer);
  });
});
