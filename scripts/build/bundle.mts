import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { type OutputChunk, type Plugin, type RolldownOptions, rolldown } from 'rolldown';
import { chunkOf, STAMP_CHARACTERS, stamped } from '../../src/cli/cached-code.ts';
import { inAscii } from './ascii.mts';
import { cutValibot } from './cut-valibot.mts';
import { lazyBuiltins } from './lazy-builtins.mts';
import { stubbed } from './stubs.mts';

const root = join(import.meta.dirname, '../..');

/** A file of dist/, and the folders of its bundled packages, relative to the root. */
export interface Bundle {
  readonly name: string;
  readonly code: string;
  readonly map: { readonly mappings: string };
  readonly packages: readonly string[];
}

const CORE = 'core.js';

const nouns = ['invitations', 'profiles', 'properties', 'users'];

/** Modules that every list needs; they are one file. */
const hot = [
  'src/cli/main.ts',
  'src/cli/connection.ts',
  'src/auth/user-credentials.ts',
  ...nouns.flatMap((noun) => ['index', 'list'].map((file) => `src/commands/${noun}/${file}.ts`)),
  'src/commands/short-list.ts',
  'src/commands/remember.ts',
  'src/out/json.ts',
  'src/out/styles.ts',
  'src/out/table.ts',
].map((path) => join(root, path));

/** Further modules of the other commands of these nouns. */
const warm = [
  'src/commands/apply/apply.ts',
  ...['create', 'delete'].map((verb) => `src/commands/invitations/${verb}.ts`),
  ...['create', 'delete', 'edit', 'get', 'update'].map((verb) => `src/commands/properties/${verb}.ts`),
  ...['edit', 'get', 'update'].map((verb) => `src/commands/users/${verb}.ts`),
].map((path) => join(root, path));

/** The other modules; the first matching pattern wins. Lists draw tables; a command that uses the keyring sends a request. */
const rooms: readonly (readonly [name: string, pattern: RegExp])[] = [
  [
    'core',
    /\bstub-cli-table3|\/cli-table3\/|\/chalk\/|\/src\/out\/boxes|(?<!\/node_modules\/.*)\/node_modules\/(?:string-width|strip-ansi|ansi-regex|get-east-asian-width)\//,
  ],
  ['undici', /\bstub-|\/node_modules\/undici\/|\/src\/(?:service\/|auth\/keyring)/],
  ['libraries', /\/node_modules\//],
  ['more', /(?:)/],
];

/**
 * Bundles the program as CommonJS, because the ESM loader costs time at every start: a few files, each loaded when
 * one of its modules is required. Within a file each module is still evaluated at its first use.
 */
export async function bundleProgram(): Promise<readonly Bundle[]> {
  let closures: { readonly core: ReadonlySet<string>; readonly verbs: ReadonlySet<string> } | undefined;
  return bundle(
    { input: { main: join(root, 'src/cli/main.ts') }, plugins: [stubbed(), cutValibot(), lazyBuiltins()] },
    (id, importsOf) => {
      closures ??= { core: closureOf(hot, importsOf), verbs: closureOf(warm, importsOf) };
      if (closures.core.has(id)) return 'core';
      if (closures.verbs.has(id)) return 'verbs';
      return rooms.find(([, pattern]) => pattern.test(id))?.[0] ?? '';
    },
  );
}

/** The code that runs before the program, and that answers completions without it, as one file. */
export function bundleStart(): Promise<readonly Bundle[]> {
  return bundle({ input: { start: join(root, 'src/cli/start.ts') }, plugins: [lazyBuiltins()] });
}

type Imports = (id: string) => readonly string[];

/** The modules and their transitive static imports. */
function closureOf(ids: readonly string[], importsOf: Imports): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    importsOf(id).forEach(visit);
  };
  ids.forEach(visit);
  return found;
}

async function bundle(
  options: RolldownOptions & { readonly plugins: Plugin[] },
  roomOf?: (id: string, importsOf: Imports) => string,
): Promise<readonly Bundle[]> {
  const built = await rolldown({
    ...options,
    cwd: root,
    platform: 'node',
    logLevel: 'silent',
    // Tree shaking treats calls that may throw as pure, and drops them from a `try`; the compressor does the same.
    treeshake: false,
    // The `main` file of some packages has requires that no bundler can resolve.
    resolve: { mainFields: ['module', 'main'] },
  });
  const { output } = await built.generate({
    format: 'cjs',
    entryFileNames: '[name].js',
    // Otherwise a chunk is named after the imported file; `runtime` is the runtime of the bundler.
    chunkFileNames: ({ moduleIds, name }) =>
      moduleIds.includes(hot[0] ?? '') ? CORE : `${name.replace('rolldown-', '')}.js`,
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
    // Stack traces keep the names of the sources.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    ...(roomOf === undefined
      ? { codeSplitting: false }
      : {
          strictExecutionOrder: true,
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              {
                name: (id, context) => roomOf(id, (each) => context.getModuleInfo(each)?.importedIds ?? []),
              },
            ],
          },
        }),
  });
  await built.close();
  return withoutFacade(output.filter((each): each is OutputChunk => each.type === 'chunk')).map((chunk) =>
    bundleOf(chunk, roomOf === undefined ? asItIs : writeChunk),
  );
}

type Chunk = Pick<OutputChunk, 'fileName' | 'code' | 'map' | 'moduleIds'>;

/** The entry chunk would be a separate file of one line; it is appended to the file that it loads. */
function withoutFacade(chunks: readonly Chunk[]): readonly Chunk[] {
  const facade = chunks.find(({ fileName }) => fileName === 'main.js');
  if (facade === undefined) return chunks;
  const end = `\n{${facade.code.replace(`require("./${CORE}")`, 'exports')}}`;
  return chunks
    .filter((chunk) => chunk !== facade)
    .map(({ fileName, code, map, moduleIds }) => {
      return { fileName, code: fileName === CORE ? `${code}${end}` : code, map, moduleIds };
    });
}

function bundleOf({ fileName, code, map, moduleIds }: Chunk, write: (code: string) => string): Bundle {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const { mappings, ...named } = map ?? { version: 3, sources: [], names: [], mappings: '' };
  const ascii = inAscii({ code, mappings });
  return {
    name: fileName,
    code: write(ascii.code),
    map: { ...named, mappings: ascii.mappings },
    packages: [...new Set(folders)].map((folder) => relative(root, folder)),
  };
}

/** Node itself loads this file, so its code is unchanged. */
function asItIs(code: string): string {
  return code;
}

function writeChunk(code: string): string {
  return stamped(chunkOf(code), stampOf(code));
}

function stampOf(code: string): string {
  return createHash('sha256').update(code).digest('hex').slice(0, STAMP_CHARACTERS);
}
