import type { Plugin } from 'rolldown';

/** Replacements for modules that packages require, as CommonJS. */
const stubs: readonly { readonly of: string; readonly module: RegExp; readonly code: string }[] = [
  // Loaded only to format a failed assertion.
  {
    of: 'undici',
    module: /^node:assert$/,
    code: `const failed = () => require('node:assert');
const assert = (value, message) => { if (!value) failed()(value, message); };
module.exports = assert;
assert.ok = assert;
assert.equal = (a, b, message) => { if (a != b) failed().equal(a, b, message); };
assert.notEqual = (a, b, message) => { if (a == b) failed().notEqual(a, b, message); };
assert.strictEqual = (a, b, message) => { if (!Object.is(a, b)) failed().strictEqual(a, b, message); };
assert.notStrictEqual = (a, b, message) => { if (Object.is(a, b)) failed().notStrictEqual(a, b, message); };`,
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
  // Tables are drawn of plain Latin texts, one column each (src/out/boxes.ts), and coloured by chalk.
  { of: 'cli-table3', module: /^string-width$/, code: 'module.exports = (text) => text.length;' },
  { of: 'cli-table3', module: /^@colors\//, code: '' },
  // Subcommands in separate executables are not used.
  {
    of: 'commander',
    module: /^node:child_process$/,
    code: "exports.spawn = () => { throw new Error('no program is started'); };",
  },
];

/** Removes unreachable code from packages, and the modules that only this code loads. */
export function stubbed(): Plugin {
  return {
    name: 'stubbed',
    resolveId(source, importer) {
      const index = stubs.findIndex(
        ({ of, module }) => importer?.includes(`/node_modules/${of}/`) === true && module.test(source),
      );
      return index === -1 ? null : `\0stub-${stubs[index]?.of}-${index}`;
    },
    load(id) {
      const [, index] = /^\0stub-.*-(\d+)$/.exec(id) ?? [];
      return index === undefined ? null : (stubs[Number(index)]?.code ?? null);
    },
  };
}
