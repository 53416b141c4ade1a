import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import Boxes from 'cli-table3';
import Conf from 'conf';
import { type SheetChart, writeXlsx } from 'hucre';
import { readXlsx } from 'hucre/xlsx';
import { rolldown } from 'rolldown';
import * as valibot from 'valibot';
import { expect, inject, test } from 'vitest';
import { aliased } from '../../scripts/build/aliases.mts';
import { isLatin } from '../../src/print/width.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { root } from './home.ts';

/** The hooks of the plugin are functions. */
const { resolveId, load } = aliased() as unknown as {
  resolveId(source: string, by: string): string | null;
  load(id: string): string | null | Promise<string>;
};

// biome-ignore lint/suspicious/noExplicitAny: modules are compared by what they do.
type Module = any;

/** The file that requires a module, below node_modules or one of ours; the module; and what is made of it. */
type Row = readonly [by: string, source: string, use: (module: Module) => unknown];

const OURS = 'ours';
const pathOf = (by: string) => join(root, by === OURS ? 'src/cli/main.ts' : `node_modules/${by}`);
const idOf = ([by, source]: readonly [string, string, ...unknown[]]) => resolveId(source, pathOf(by));

/** What the build has in place of a module. */
function replaced(by: string, source: string): Module {
  const module = { exports: {} };
  const code = String(load(String(idOf([by, source]))));
  const evaluate = compileFunction(code, ['module', 'exports', 'require']);
  evaluate(module, module.exports, createRequire(pathOf(by)));
  return module.exports;
}

/** `AssertionError [ERR_ASSERTION]: failed` */
function failureOf(call: () => unknown): string {
  try {
    return `none: ${call()}`;
  } catch (cause) {
    return String(cause);
  }
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'));

/** The values that our sources import from a module. */
function importedFrom(source: string): readonly string[] {
  const imports = new RegExp(`^import \\{([^}]*)\\} from '${source}';`, 'gm');
  const names = sources.flatMap((text) =>
    [...text.matchAll(imports)].flatMap(([, some = '']) => some.split(',')),
  );
  return names
    .map((name) => name.trim().replace(/ as .*/, ''))
    .filter((name) => !/^(?:type .*)?$/.test(name));
}

/** Modules of Node that are loaded when something in them is used. */
const lazy = [...new Set([...builtinModules, 'sea'])]
  .map((name) => [OURS, `node:${name}`] as const)
  .filter((place) => idOf(place) !== null);

const headers = ['accept', 'Accept', 'AUTHORIZATION', 'Idempotency-Key', 'x-request-id', '__proto__'];
const values = [0, -0, 1, '1', '', null, undefined, {}];
/** Each UTF-16 unit that tables are drawn of: \ue000 stands for a column of any other text. */
const letters = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit)).filter(
  (letter) => letter === '\ue000' || (isLatin(letter) && letter !== '\n'),
);

const alike: readonly Row[] = [
  [OURS, '../../package.json', ({ version }) => version],
  [OURS, 'undici', partsOfUndici],
  [
    'undici/lib/core/util.js',
    'node:assert',
    (assert) => values.map((one) => failureOf(() => assert(one, 'failed'))),
  ],
  ['undici/lib/dispatcher/client.js', 'node:http', ({ maxHeaderSize }) => maxHeaderSize],
  ['undici/lib/core/request.js', './constants', (all) => headers.map((name) => lowerCased(all, name))],
  [
    'undici/lib/core/util.js',
    './tree',
    ({ tree }) => headers.map((name) => tree.lookup(Buffer.from(name)) ?? name.toLowerCase()),
  ],
  ['cli-table3/src/utils.js', 'string-width', (widthOf) => letters.map((letter) => widthOf(letter))],
  ...lazy.flatMap(([by, source]): readonly Row[] => {
    const names = importedFrom(source);
    return names.length === 0 ? [] : [[by, source, (module) => names.map((name) => module[name])]];
  }),
];

function lowerCased({ headerNameLowerCasedRecord: known }: Module, name: string): string {
  return known[name] ?? name.toLowerCase();
}

function partsOfUndici({ Client, buildConnector }: Module) {
  const { prototype } = createRequire(pathOf(OURS))('undici/lib/dispatcher/dispatcher.js');
  const sent: unknown[] = [];
  const client = { dispatch: (options: object) => sent.push(options) };
  Client.prototype.connect.call(client, { path: 'a:443', headers: {} }, () => {});
  // The build adds it where there is none.
  delete prototype.connect;
  return { Client, buildConnector, sent };
}

test.each(alike)('for %s, %s of the build does what the real one does', (by, source, use) => {
  const expected = use(createRequire(pathOf(by))(source));

  expect(use(replaced(by, source))).toEqual(expected);
});

const left: readonly (readonly [...Row, message: string])[] = [
  ['undici/', './client-h2.js', (connect) => connect(), 'HTTP/2 was not offered'],
  ['undici/', '../web/fetch/body.js', ({ extractBody }) => extractBody(), 'a body is no text'],
  ['hucre/', './crypto/agile.mjs', ({ decryptAgile }) => decryptAgile(), 'no password was given'],
  ['conf/', 'ajv/dist/2020.js', ({ Ajv2020 }) => new Ajv2020(), 'conf was given a schema'],
  ['conf/', 'ajv-formats', (formats) => formats(), 'conf was given no folder'],
  ['conf/', 'env-paths', (envPaths) => envPaths(), 'conf was given no folder'],
  ['@inquirer/editor/', '@inquirer/external-editor', ({ editAsync }) => editAsync(), 'no editor is started'],
  ['commander/', 'node:child_process', ({ spawn }) => spawn(), 'no program is started'],
];

test.each(left)('%s cannot use %s unnoticed, which is not in the build', (by, source, use, message) => {
  expect(() => use(replaced(by, source))).toThrow(message);
});

/** Replaced by nothing: the packages that use them are compared. */
const silent: readonly (readonly [by: string, source: string])[] = [
  [OURS, 'hucre/xlsx'],
  ['hucre/', './chart-reader.mjs'],
  ['atomically/', 'when-exit'],
  ['cli-table3/', '@colors/colors/safe'],
];

test('every module that the build replaces is compared', () => {
  const all = Array.from({ length: 100 }, (_, index) => `\0alias-${index}`).filter((id) => load(id) !== null);

  expect(new Set([...alike, ...lazy, ...left, ...silent].map(idOf))).toEqual(new Set(all));
});

const packages = `export { readXlsx } from 'hucre/xlsx';
export { default as Conf } from 'conf';
export { default as Boxes } from 'cli-table3';`;

/** Reads a workbook with a chart, writes a file of settings, and draws a table. */
async function used({ readXlsx: read, Conf: Store, Boxes: Table }: Module) {
  const chart = { type: 'bar', series: [{ values: 'B1:B1' }], anchor: { from: { row: 3, col: 0 } } } as const;
  // A chart that is not changed.
  const charts = [chart as unknown as SheetChart];
  const { sheets } = await read(await writeXlsx({ sheets: [{ name: 'Staff', rows: [['ana', 2]], charts }] }));
  const cells = sheets.map(({ charts: _, ...rest }: Module) => rest);
  const cwd = await temporaryFolder();
  new Store({ cwd, configName: 'config' }).store = { version: 1, 'a.b': 'é' };
  const table = new Table({
    head: ['\u001b[1mID\u001b[22m'],
    style: { head: [], border: [], compact: true },
  });
  table.push(['Zürich – 5 €'], ['\u001b[2m\ue000\ue000\u001b[22m']);
  return [cells, readdirSync(cwd), readFileSync(join(cwd, 'config.json'), 'utf8'), String(table)];
}

test('packages of the build read, write and draw as the whole ones, and listen to no signal', async () => {
  const [input, file] = [join(inject('programs'), 'packages.mjs'), join(inject('programs'), 'packages.cjs')];
  await writeFile(input, packages);
  const built = await rolldown({ input, platform: 'node', plugins: [aliased()] });
  await built.write({ file, format: 'cjs', codeSplitting: false });
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = listeners();
  const ofBuild = createRequire(file)(file);

  const results = await used(ofBuild);

  expect(listeners()).toEqual(before);
  expect(results).toEqual(await used({ readXlsx, Conf, Boxes }));
  expect(() => new ofBuild.Conf({ cwd: '.', schema: {} })).toThrow('conf was given a schema');
  expect(() => new ofBuild.Conf({ projectName: 'innctl' })).toThrow('conf was given no folder');
});

test('the valibot of the build has each function that our sources call, unchanged', async () => {
  const path = join(inject('programs'), 'valibot.mjs');
  await writeFile(path, String(await load(join(root, 'node_modules/valibot/dist/index.mjs'))));
  const ofBuild = await import(path);
  const whole: Module = valibot;
  const texts = sources.filter((text) => text.includes("from 'valibot'"));
  const called = texts.flatMap((text) => [...text.matchAll(/\bv\.([a-z]\w*)/g)].map(([, name = '']) => name));
  // The bundler writes some semicolons and comments of its own.
  const textOf = (value: unknown) => String(value).replaceAll(/\/\* @__PURE__ \*\/|[\s;]+/g, '');

  expect(called.length).toBeGreaterThan(100);
  for (const name of called) expect([name, textOf(ofBuild[name])]).toEqual([name, textOf(whole[name])]);
});
