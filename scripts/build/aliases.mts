import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import * as valibot from 'valibot';

/** The text of all files of src/. */
const folder = join(import.meta.dirname, '../../src');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');

/** What a module is replaced by, as CommonJS, where the program never reaches what it does. */
interface Alias {
  /** The package that requires it; our own sources without one. */
  readonly of?: string;
  readonly module: RegExp;
  readonly code: string;
}

const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

const aliases: readonly Alias[] = [
  { module: /\/package\.json$/, code: `exports.version = ${JSON.stringify(version)};` },
  // The parts of undici that the wire uses, each evaluated at its first use. Its index evaluates fetch and websockets.
  {
    module: /^undici$/,
    code: `const part = (name, get) => Object.defineProperty(exports, name, { enumerable: true, get });
part('Client', () => {
  require('undici/lib/dispatcher/dispatcher.js').prototype.connect ??= function (...given) {
    return require('undici/lib/api/api-connect.js').apply(this, given);
  };
  return require('undici/lib/dispatcher/client.js');
});
part('buildConnector', () => require('undici/lib/core/connect.js'));`,
  },
  // Loaded only to format a failed assertion.
  {
    of: 'undici',
    module: /^node:assert$/,
    code: `const failed = () => require('node:assert');
module.exports = (value, message) => { if (!value) failed()(value, message); };`,
  },
  // The size is the default of Node; no Node HTTP message is ever used as a body here.
  {
    of: 'undici',
    module: /^node:http$/,
    code: 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};',
  },
  // Building tables of a hundred header names takes longer than a run needs to handle its own headers.
  {
    of: 'undici',
    module: /\/constants$/,
    code: `const sent = ['accept', 'accept-encoding', 'authorization', 'content-type', 'idempotency-key', 'user-agent'];
exports.headerNameLowerCasedRecord = { __proto__: null };
for (const name of sent) exports.headerNameLowerCasedRecord[name] = name;`,
  },
  { of: 'undici', module: /\/tree$/, code: 'exports.tree = { lookup: () => undefined };' },
  // HTTP/2 is never offered to a server.
  {
    of: 'undici',
    module: /\/client-h2\.js$/,
    code: `module.exports = () => { throw new Error('HTTP/2 was not offered'); };`,
  },
  // Bodies are strings.
  {
    of: 'undici',
    module: /\/web\/fetch\/body\.js$/,
    code: `exports.extractBody = () => { throw new Error('a body is no text'); };`,
  },
  // Its index has writers and readers of other formats besides.
  {
    module: /^hucre\/xlsx$/,
    code: `exports.readXlsx = (...args) => require(${JSON.stringify(inPackages('hucre/dist/xlsx/reader.mjs'))}).readXlsx(...args);`,
  },
  // Only cells are read, and no encrypted workbook is.
  { of: 'hucre', module: /\/chart-reader\.mjs$/, code: 'exports.parseChart = () => undefined;' },
  {
    of: 'hucre',
    module: /\/crypto\/agile\.mjs$/,
    code: "exports.decryptAgile = () => { throw new Error('no password was given'); };",
  },
  // Conf validates by a schema and looks for a folder only when asked to, and innctl gives it neither.
  {
    of: 'conf',
    module: /^(?:ajv\/dist\/2020\.js|ajv-formats|env-paths)$/,
    code: `module.exports = () => { throw new Error('conf was given no folder'); };
exports = module.exports;
exports.Ajv2020 = class { constructor() { throw new Error('conf was given a schema'); } };`,
  },
  // Its handlers of signals would make one ^C two. Conf writes without a pause, so there is nothing to remove.
  { of: 'atomically', module: /^when-exit$/, code: 'module.exports = () => {};' },
  // Tables are drawn of plain Latin texts, one column each (src/print/table.ts), and coloured by chalk.
  { of: 'cli-table3', module: /^string-width$/, code: 'module.exports = (text) => text.length;' },
  { of: 'cli-table3', module: /^@colors\//, code: '' },
  // No text is edited in an editor.
  {
    of: '@inquirer/editor',
    module: /^@inquirer\/external-editor$/,
    code: "exports.editAsync = () => { throw new Error('no editor is started'); };",
  },
  // Modules of Node that few commands use, and that take milliseconds: required when something in them is used.
  ...['child_process', 'crypto', 'fs/promises', 'http', 'sea', 'timers/promises', 'tls', 'v8', 'zlib'].map(
    (name) => ({ module: new RegExp(`^node:${name}$`), code: lazily(`node:${name}`) }),
  ),
  // Subcommands in separate executables are not used.
  {
    of: 'commander',
    module: /^node:child_process$/,
    code: "exports.spawn = () => { throw new Error('no program is started'); };",
  },
];

/** A file of a package that it does not export. */
function inPackages(path: string): string {
  return join(import.meta.dirname, '../../node_modules', path);
}

function lazily(id: string): string {
  const imports = new RegExp(`^import \\{([^}]*)\\} from '${id}';`, 'gm');
  const all = [...sources.matchAll(imports)].flatMap(([, some = '']) => some.split(','));
  const names = new Set(
    all.map((name) => name.trim().split(' as ')[0]).filter((name) => /^(?!type )./.test(name ?? '')),
  );
  return `for (const name of ${JSON.stringify([...names])})
  Object.defineProperty(exports, name, { enumerable: true, get: () => require('${id}')[name] });`;
}

const VALIBOT = inPackages('valibot/dist/index.mjs');

/** Its one file without what no source names, four fifths of it. The bodies of what remains are unchanged. */
async function usedOfValibot(): Promise<string> {
  const used = Object.keys(valibot).filter((name) => sources.includes(`v.${name}`));
  const entry = `export { ${used.join(', ')} } from ${JSON.stringify(VALIBOT)};`;
  const plugin = {
    name: 'entry',
    resolveId: (id: string) => (id === 'entry' ? id : null),
    load: (id: string) => (id === 'entry' ? entry : null),
  };
  const built = await rolldown({ input: 'entry', plugins: [plugin] });
  const { output } = await built.generate();
  await built.close();
  return output[0].code;
}

/** How the ids of replaced modules begin. */
export const PREFIX = '\0alias-';

/** Replaces the modules of the table, and so leaves out the modules that only they load. */
export function aliased(): Plugin {
  return {
    name: 'aliased',
    resolveId(source, by = '') {
      const importer = by.replaceAll('\\', '/');
      const index = aliases.findIndex(
        ({ of, module }) =>
          module.test(source) &&
          (of === undefined
            ? !importer.includes('/node_modules/')
            : importer.includes(`/node_modules/${of}/`)),
      );
      return index === -1 || importer.startsWith(PREFIX) ? null : `${PREFIX}${index}`;
    },
    load(id) {
      if (id === VALIBOT) return usedOfValibot();
      return id.startsWith(PREFIX) ? (aliases[Number(id.slice(PREFIX.length))]?.code ?? null) : null;
    },
  };
}
