import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The rooms of src/ (see ARCHITECTURE.md), top down. A room may import from lower rows, but not from others in its own row.
 */
const rows: readonly (readonly string[])[] = [
  ['cli'],
  ['commands'],
  ['change'],
  ['reference'],
  ['session'],
  ['sandbox', 'auth', 'journal', 'people'],
  ['files'],
  ['config'],
  ['print'],
  ['service'],
  ['fs'],
  ['model'],
];

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => posix.join('src', path.replaceAll('\\', '/')))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Every relative import as a pair of rooms, including type imports and `import()`. */
const imports = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)]
    .map((match) => posix.join(dirname(path), match[1] ?? ''))
    .filter((target) => target.startsWith('src/'))
    .map((target) => ({ path, target, from: roomOf(path), to: roomOf(target) })),
);

const loaded = new Map(
  sources.map(({ path, text }) => [
    path,
    [
      ...text.matchAll(
        /^(?:import|export) (?!type )(?!\{(?:\s*type [^,}]+,?)+\s*\})[^;]*?from '(\.[^']+)'/gms,
      ),
    ].map((match) => posix.join(dirname(path), match[1] ?? '')),
  ]),
);

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function rowOf(room: string): number {
  return rows.findIndex((row) => row.includes(room));
}

test('every room is in the table', () => {
  const rooms = [...new Set(sources.map(({ path }) => roomOf(path)))];

  expect(rooms.toSorted()).toEqual(rows.flat().toSorted());
});

test('imports point downward only', () => {
  const upward = imports.filter(({ from, to }) => from !== to && rowOf(from) >= rowOf(to));

  expect(imports.length).toBeGreaterThan(100);
  expect(upward).toEqual([]);
});

/** What the sandbox may know of the program: operations, the fields of records, errors, and how files are kept. */
const sharedWithSandbox = [
  ...['service/operations', 'model/fields', 'model/kinds', 'model/records', 'model/json-text'],
  'model/errors',
  ...['fs/lock', 'fs/read', 'fs/replace'],
];

test('the sandbox knows the rest by operations, fields, errors and files alone', () => {
  const known = imports
    .filter(({ from, to }) => from === 'sandbox' && to !== 'sandbox')
    .map(({ target }) => target.slice('src/'.length).replace(/\.ts$/, ''));

  expect([...new Set(known)].toSorted()).toEqual(sharedWithSandbox.toSorted());
});

test('there are no import cycles', () => {
  const cycles = sources.map(({ path }) => path).filter((path) => reachable(path).has(path));

  expect(cycles).toEqual([]);
});

/** The files that a file loads, directly or transitively; type-only imports load nothing. */
function reachable(start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    for (const target of loaded.get(path) ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      visit(target);
    }
  };
  visit(start);
  return found;
}

test('only main.ts and the script of the keyring process use `process`', () => {
  const users = sources.filter(({ text }) => /\bprocess\b/.test(withoutComments(text)));

  // The first one is the script of a separate process.
  expect(users.map(({ path }) => path)).toEqual(['src/auth/keyring.ts', 'src/cli/main.ts']);
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
}

test('heavy libraries are loaded only through import()', () => {
  const heavy = [
    'undici',
    'inquirer',
    'cli-table3',
    'yaml',
    'hono',
    '@hono/',
    'fast-json-patch',
    'oauth4webapi',
    'string-width',
    'chalk',
    'csv-parse',
    '@valibot/to-json-schema',
    'jsonc-parser',
    '@jmespath-community/jmespath',
    '@inquirer/core',
    'open',
  ];
  const eager = new Set<string>();
  const visit = (path: string) => {
    if (eager.has(path)) return;
    eager.add(path);
    const text = sources.find((source) => source.path === path)?.text ?? '';
    for (const match of text.matchAll(/^(?:import|export) (?!type)[^;]*?from '(\.[^']+)'/gms)) {
      visit(posix.join(dirname(path), match[1] ?? ''));
    }
  };
  visit('src/cli/main.ts');
  // The modules of the command line are loaded before the command is known.
  for (const { text } of sources.filter(({ path }) => path === 'src/cli/program.ts')) {
    for (const match of text.matchAll(/import\('(\.[^']+)'\)/g)) visit(posix.join('src/cli', match[1] ?? ''));
  }
  const prompting = /^src\/commands\/(?:\w+\/)?ask\.ts$/;
  const flagModules = /^src\/print\/(?:query|view-styles)\.ts$/;

  const atStart = sources
    .filter(({ path }) => eager.has(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^import (?!type)[^;]*?from '([^.][^']*)'/gms)]
        .map((match) => match[1] ?? '')
        .filter((library) =>
          heavy.some(
            (name) => library === name || library.startsWith(name.endsWith('/') ? name : `${name}/`),
          ),
        )
        .map((library) => `${path} imports ${library}`),
    );

  expect(eager.size).toBeGreaterThan(20);
  expect(
    [...eager].filter((path) => /^src\/(?:change\/(?:execute|plan)|journal\/|files\/)/.test(path)),
  ).toEqual([]);
  expect([...eager].filter((path) => prompting.test(path))).toEqual([]);
  expect([...eager].filter((path) => flagModules.test(path))).toEqual([]);
  expect(atStart).toEqual([]);
});

/** Calls, and not definitions, of what every write has to pass. */
test.each([
  ['the guards', /(?<!function )\b(?:api|raw)\.permit(?:Loss)?\(/, 'src/change/guards.ts'],
  ['consent to writes', /(?<!function )\b(?:confirmByName|confirmOrEdit|askYes)\(/, 'src/change/consent.ts'],
  ['the lock-out rule', /(?<!function )\b(?:judgeLockout|readAdmins)\(/, 'src/change/guards.ts'],
  ['the limits of losses', /(?<!function )\brefuseDeletes\(/, 'src/change/consent.ts'],
  ['the journal of writes', /\bkept\.one\(/, 'src/change/row.ts'],
])('%s: called from one file', (_, call, home) => {
  const callers = sources.filter(
    ({ path, text }) => call.test(withoutComments(text)) && !path.startsWith('src/service/'),
  );

  expect(callers.map(({ path }) => path)).toEqual([home]);
});

test('only settings of this machine are confirmed elsewhere', () => {
  const confirming = imports
    .filter(({ target }) => target === 'src/session/consent.ts')
    .map(({ path }) => path);

  expect(confirming.toSorted()).toEqual([
    'src/change/consent.ts',
    'src/change/resolve.ts',
    'src/commands/login/store.ts',
  ]);
});

test('no file has a generic name', () => {
  const names = sources.map(({ path }) => posix.basename(path, '.ts'));

  expect(
    names.filter((name) => ['utils', 'util', 'helpers', 'common', 'types', 'lib', 'misc'].includes(name)),
  ).toEqual([]);
});

test.each(['canonical', 'compareWanted', 'didYouMean', 'isRecord', 'isSameSet', 'withLock'])(
  '%s has one definition',
  (name) => {
    const definition = new RegExp(`\\b(?:function|const|let) ${name}\\b`, 'g');

    expect(sources.flatMap(({ text }) => text.match(definition) ?? [])).toHaveLength(1);
  },
);

test('every file that ARCHITECTURE.md and docs/decisions.md name exists, and defines the name beside it', () => {
  const page = ['ARCHITECTURE.md', 'docs/decisions.md'].map((path) => readFileSync(path, 'utf8')).join('\n');
  const files = [...page.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+\.\w+)`/g)].map(
    ([, path = '']) => path,
  );
  const named = [...page.matchAll(/`(src\/[\w./-]+\.ts)` `(\w+)`/g)];

  const missing = named.filter(
    ([, path = '', name = '']) =>
      !new RegExp(`\\b(?:function|const) ${name}\\b`).test(readFileSync(path, 'utf8')),
  );
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
  expect(missing.map(([place]) => place)).toEqual([]);
});
