import { readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type InputOptions, type ModuleInfo, type OutputChunk, type OutputOptions, rolldown } from 'rolldown';
import { aliased, PREFIX } from './aliases.mts';

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
 * imports, unless a file before it has them. Every module is in one of them: what few commands need is read by these alone.
 */
const files: Readonly<Record<string, readonly string[]>> = {
  start: [ENTRY, 'reference/complete-door.ts'],
  core: [
    'cli/main.ts',
    'config/settings.ts',
    'print/progress.ts',
    'sandbox/faults.ts',
    'sandbox/seeds/names.ts',
  ],
  help: ['commands/help/', 'commands/completion/', 'commands/version/', 'cli/'],
  // A command that sends nothing.
  session: ['session/session.ts', 'commands/config/index.ts', 'commands/profiles/index.ts', 'fs/lock.ts'],
  // One that reads.
  service: [
    'session/connection.ts',
    'commands/short-list.ts',
    ...['invitations', 'users'].flatMap((noun) => [`commands/${noun}/index.ts`, `commands/${noun}/list.ts`]),
    ...['properties', 'users'].map((noun) => `commands/${noun}/get.ts`),
    'commands/properties/index.ts',
    ...['files/entry.ts', 'fs/document.ts', 'journal/line.ts', 'change/flags.ts'],
  ],
  // A command with a stored login needs both.
  wire: ['service/wire/undici.ts', 'auth/keyring.ts', 'auth/user-credentials.ts'],
  table: [
    'print/table.ts',
    'print/pager.ts',
    '../node_modules/cli-table3/index.js',
    '../node_modules/chalk/source/index.js',
  ],
  // Alone, because V8 takes 50 ms to check its pattern of emoji when it reads the file.
  width: ['../node_modules/string-width/index.js'],
  // One that writes.
  write: ['change/rows.ts', 'change/existing.ts', 'journal/journal.ts', 'commands/invitations/create.ts'],
  // One that writes several.
  rows: [
    ...[
      'change/report.ts',
      'change/patch.ts',
      'change/ask.ts',
      'commands/ending.ts',
      'files/files.ts',
      'files/names.ts',
    ],
    '../node_modules/p-queue/dist/index.js',
  ],
  inventory: ['inventory', 'units', 'unit-groups', 'unit-attributes'].map((noun) => `commands/${noun}/`),
  properties: ['commands/properties/'],
  people: ['commands/users/', 'commands/invitations/'],
  access: ['index', 'report', 'diff'].map((verb) => `commands/access/${verb}.ts`),
  json: ['../node_modules/jsonc-parser/lib/esm/main.js'],
  yaml: ['print/yaml.ts', 'fs/yaml.ts'],
  history: ['commands/history/index.ts', 'commands/runs/'],
  files: ['change/', 'files/', ...['apply', 'drift', 'export', 'history'].map((noun) => `commands/${noun}/`)],
  jobs: ['commands/access/', 'commands/people/', 'commands/evidence/', 'people/'],
  query: ['print/query.ts'],
  xlsx: ['fs/xlsx.ts'],
  prompts: ['print/inquirer-prompter.ts', 'print/plain-prompter.ts'],
  settings: ['../node_modules/conf/dist/source/index.js'],
  account: ['auth', 'logout', 'whoami'].map((noun) => `commands/${noun}/`),
  login: ['commands/login/', 'commands/profiles/', 'auth/', '../node_modules/open/index.js'],
  sandbox: ['sandbox/', 'commands/sandbox/'],
  api: ['commands/api/'],
  tools: [
    ...['commands', 'doctor', 'schema', 'template'].map((noun) => `commands/${noun}/`),
    ...['print/github.ts', 'print/view-styles.ts', 'session/profiles.ts'],
  ],
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
  let fileOf: ((id: string) => string) | undefined;
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
            fileOf ??= filesBy((each) => importsOf(context.getModuleInfo(each)));
            return fileOf(id);
          },
        },
      ],
    },
  });
  await built.close();
  return inOneStart(output.filter((each) => each.type === 'chunk').map(bundleOf)).map((bundle) => ({
    ...bundle,
    code: ascii(whenNeeded(inOneLoop(bundle.code))),
  }));
}

/**
 * Bundles the program as one file that starts it, for the standalone executable. Modules believe that they are in the root
 * folder: otherwise some would look for files beside the executable.
 */
export async function bundleStandalone(): Promise<string> {
  const built = await rolldown(input);
  const { output } = await built.generate({ ...style, codeSplitting: false });
  await built.close();
  return `__filename = '/innctl'; __dirname = '/';\n${ascii(output[0].code)}\nexports.start('', process);\n`;
}

/** What is in the same file as a module: what it imports; of a package also what it may import. */
function importsOf(module: ModuleInfo | null): readonly string[] {
  const { id = '', importedIds = [], dynamicallyImportedIds = [] } = module ?? {};
  return id.includes('/node_modules/') ? [...importedIds, ...dynamicallyImportedIds] : importedIds;
}

function isOfNode(id: string): boolean {
  return id.startsWith('node:');
}

/** @throws {Error} for a module that is in no file. */
function filesBy(importsOf: (id: string) => readonly string[]): (id: string) => string {
  const known = new Map<string, string>();
  const visit = (id: string, name: string) => {
    if (known.has(id)) return;
    const imports = importsOf(id);
    // Stand-ins for modules of Node are small, and of no room.
    known.set(id, id.startsWith(PREFIX) && name !== 'start' && imports.every(isOfNode) ? 'core' : name);
    for (const each of imports) visit(each, name);
  };
  for (const [name, paths] of Object.entries(files))
    for (const id of paths.flatMap(modulesIn)) visit(id, name);
  return (id) => {
    const name = known.get(id);
    if (name === undefined) throw new Error(`no file of dist/ has ${id}`);
    return name;
  };
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

const EXPORT =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);?/;

/** Defines the exports of a file in one loop: the bundler makes a statement for each, a tenth of the text. */
function inOneLoop(code: string): string {
  return code.replaceAll(new RegExp(`(?:${EXPORT.source}\\s*)+`, 'g'), (statements) => {
    const getters = [...statements.matchAll(new RegExp(EXPORT, 'g'))].map(
      ([, name, value]) => `\t${name}: () => ${value},\n`,
    );
    const loop =
      'for (const name in getters) Object.defineProperty(exports, name, { enumerable: true, get: getters[name] });';
    return `{\n\tconst getters = {\n${getters.join('').replaceAll(/^/gm, '\t')}};\n\t${loop}\n}\n`;
  });
}

const FILE = /^const (require_\w+) = require\(("\.\/(?!start\.|core\.)\w+\.js")\);$/gm;

/** Reads another file when something in it is used first: the bundler reads all that any module of this one imports. */
function whenNeeded(code: string): string {
  const names = [...code.matchAll(FILE)].map(([, name = '']) => name);
  const lazy = code.replaceAll(FILE, 'let $1_file;\nconst $1 = () => ($1_file ??= require($2));');
  return names.reduce(
    (text, name) =>
      text
        .replaceAll(new RegExp(`\\bnew ${name}\\.([\\w$]+)`, 'g'), `new (${name}().$1)`)
        .replaceAll(new RegExp(`\\b${name}\\.`, 'g'), `${name}().`),
    lazy,
  );
}

/**
 * Escapes what is not ASCII: one such character doubles what V8 keeps of a file. Escapes mean the same in strings, templates,
 * regular expressions and JSON.
 */
export function ascii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
