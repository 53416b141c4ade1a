'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const v8 = require('node:v8');

/**
 * Runs what is typed most with the built files of a folder, and keeps the code that V8 made of them for it.
 * Prints the name of the file.
 */
const [, , folder] = process.argv;
const lines = [
  ['--sandbox', 'properties', 'list', '--output', 'table'],
  ['--sandbox', 'properties', 'list', '--json'],
  ['--sandbox', 'properties', 'get', 'BER', '--output', 'table'],
];

async function main() {
  // V8 takes the code only where its flags are those under which it was made.
  v8.setFlagsFromString = () => {};
  const { openChunks, cachedDataName, cachedDataOf } = require(join(folder, 'start.js'));
  const chunks = openChunks(folder, '', process.getBuiltinModule);
  const { main: run } = chunks.load('main.js');
  const say = process.stdout.write.bind(process.stdout);
  process.stdout.write = (_text, then) => then?.();
  for (const line of lines) {
    process.argv = [process.execPath, 'innctl', ...line];
    await run();
  }
  const name = cachedDataName(process.versions.v8, process.arch);
  writeFileSync(join(folder, name), cachedDataOf(chunks.loaded));
  say(`${name}\n`);
}

main();
