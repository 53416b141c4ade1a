import { readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type InputOptions, type OutputChunk, type OutputOptions, rolldown } from 'rolldown';
import { aliased } from './aliases.mts';

const root = join(import.meta.dirname, '../..');

/** A file of dist/, and the folders of its bundled packages, relative to the root. */
export interface Bundle {
  readonly name: string;
  readonly code: string;
  readonly packages: readonly string[];
}

const ENTRY = 'cli/start.ts';

/**
 * The files of dist/, most needed first: each has these modules, by their path from src/, or all of a folder, and their static
 * imports, unless a file before it has them.
 */
const files: Readonly<Record<string, readonly string[]>> = {
  start: [ENTRY, 'reference/complete-door.ts'],
  core: ['cli/main.ts'],
  list: [
    'session/connection.ts',
    'auth/user-credentials.ts',
    'commands/short-list.ts',
    ...['help', 'completion'].map((noun) => `commands/${noun}/${noun}.ts`),
    'commands/profiles/index.ts',
    ...['invitations', 'users'].flatMap((noun) =>
      ['index', 'list'].map((file) => `commands/${noun}/${file}.ts`),
    ),
    ...['index', 'get'].map((file) => `commands/properties/${file}.ts`),
    ...['index', 'report'].map((file) => `commands/access/${file}.ts`),
  ],
  // A command with a stored login needs both.
  wire: ['service/wire/undici.ts', 'auth/keyring.ts'],
  table: [
    'print/table.ts',
    'print/pager.ts',
    '../node_modules/cli-table3/index.js',
    '../node_modules/chalk/source/index.js',
  ],
  // Alone, because V8 takes 50 ms to check its pattern of emoji when it reads the file.
  width: ['../node_modules/string-width/index.js'],
  verbs: [
    ...['create', 'delete'].map((verb) => `commands/invitations/${verb}.ts`),
    ...['create', 'life', 'update'].map((verb) => `commands/properties/${verb}.ts`),
    ...['get', 'update'].map((verb) => `commands/users/${verb}.ts`),
  ],
  rows: [
    ...[
      'change/',
      'journal/',
      'files/',
      'commands/apply/',
      'commands/drift/',
      'commands/runs/',
      'commands/export/',
    ],
    ...['commands/schema/', 'print/yaml.ts', 'auth/account.ts', '../node_modules/p-queue/dist/index.js'],
  ],
  more: ['./'],
};

/** Keeps all code: tree shaking and the compressor treat calls that may throw as pure, and drop them from a `try`. */
export const keepAll = { input: { treeshake: false }, output: { minify: false } } as const;

const input = {
  input: join(root, 'src', ENTRY),
  cwd: root,
  platform: 'node',
  logLevel: 'silent',
  ...keepAll.input,
  // The `main` file of some packages has requires that no bundler can resolve.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [aliased()],
} satisfies InputOptions;

const style = {
  format: 'cjs',
  // Names and lines stay, too: stack traces are read without source maps.
  ...keepAll.output,
  comments: false,
  strictExecutionOrder: true,
} satisfies OutputOptions;

/**
 * Bundles the program as CommonJS, because the ESM loader costs time at every start: a few files, each read when one of its
 * modules is needed. Within a file each module is evaluated at its first use.
 */
export async function bundleProgram(): Promise<readonly Bundle[]> {
  const built = await rolldown(input);
  let fileOf: ((id: string) => string | undefined) | undefined;
  const { output } = await built.generate({
    ...style,
    entryFileNames: 'entry.js',
    // Otherwise a chunk of the entry is named after another of its modules.
    chunkFileNames: ({ moduleIds, name }) =>
      moduleIds.includes(join(root, 'src', ENTRY)) ? START : `${name}.js`,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          name: (id, context) => {
            fileOf ??= filesBy((each) => context.getModuleInfo(each)?.importedIds ?? []);
            return fileOf(id) ?? 'more';
          },
        },
      ],
    },
  });
  await built.close();
  return inOneStart(output.filter((each) => each.type === 'chunk').map(bundleOf));
}

/**
 * Bundles the program as one file that starts it, for the standalone executable. Modules believe that they are in the root
 * folder: otherwise some would look for files beside the executable.
 */
export async function bundleStandalone(): Promise<string> {
  const built = await rolldown(input);
  const { output } = await built.generate({ ...style, codeSplitting: false });
  await built.close();
  return `__filename = '/innctl'; __dirname = '/';\n${output[0].code}\nexports.start('', process);\n`;
}

/** @param importsOf the static imports of a module. */
function filesBy(importsOf: (id: string) => readonly string[]): (id: string) => string | undefined {
  const known = new Map<string, string>();
  const visit = (id: string, name: string) => {
    if (known.has(id)) return;
    known.set(id, name);
    for (const each of importsOf(id)) visit(each, name);
  };
  for (const [name, paths] of Object.entries(files))
    for (const id of paths.flatMap(modulesIn)) visit(id, name);
  return (id) => known.get(id);
}

/** @param path of a file of src/, or of a folder with a slash at its end. @throws if there is none. */
function modulesIn(path: string): readonly string[] {
  const full = join(root, 'src', path);
  if (!path.endsWith('/')) return [realpathSync(full)];
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(full, name));
}

function bundleOf({ fileName, code, moduleIds }: OutputChunk): Bundle {
  const paths = moduleIds.map((id) => id.replaceAll('\\', '/'));
  const folders = paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return { name: fileName, code, packages: [...new Set(folders)].map((folder) => relative(root, folder)) };
}

const START = 'start.js';
const RUNTIME = 'rolldown-runtime.js';

/** The bundler makes files of their own for its runtime and for the exports of the entry; both become a part of `start.js`. */
function inOneStart(bundles: readonly Bundle[]): readonly Bundle[] {
  const codeOf = (name: string) => bundles.find((bundle) => bundle.name === name)?.code ?? '';
  const start = `${codeOf(RUNTIME)}\n${codeOf(START)}\n{\n${codeOf('entry.js')}\n}\n`
    .replaceAll(`require("./${RUNTIME}")`, 'exports')
    .replace(`require("./${START}")`, 'exports');
  return bundles
    .filter(({ name }) => name !== RUNTIME && name !== 'entry.js')
    .map((bundle) => ({
      ...bundle,
      code:
        bundle.name === START
          ? start
          : bundle.code.replaceAll(`require("./${RUNTIME}")`, `require("./${START}")`),
    }));
}
