'use strict';
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join } = require('node:path');
const v8 = require('node:v8');

/**
 * Runs what is typed most with the built files of a folder, and keeps the code that V8 made of them for it.
 * Prints the name of the file.
 */
const [, , folder] = process.argv;

const atSandbox = [
  ['--sandbox', 'properties', 'list', '--output', 'table'],
  ['--sandbox', 'properties', 'get', 'BER', '--output', 'table'],
];

/** A service is found and asked in other ways than the sandbox. */
const atService = [
  ['profiles', 'list'],
  ['properties', 'list', '--output', 'table'],
  ['properties', 'list', '--json'],
];

const answer = JSON.stringify({ properties: [{ id: 'BER', name: { en: 'Berlin' } }], count: 1 });

async function main() {
  // V8 takes the code only where its flags are those under which it was made.
  v8.setFlagsFromString = () => {};
  const { openChunks, cachedDataName, cachedDataOf } = require(join(folder, 'start.js'));
  const chunks = openChunks(folder, '', process.getBuiltinModule);
  const { main: run } = chunks.load('main.js');
  const say = process.stdout.write.bind(process.stdout);
  process.stdout.write = (_text, then) => then?.();
  const runAll = async (lines) => {
    for (const line of lines) {
      process.argv = [process.execPath, 'innctl', ...line];
      await run();
    }
  };
  await runAll(atSandbox);
  const service = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(answer);
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${service.address().port}`;
  Object.assign(process.env, {
    INNCTL_IDENTITY_URL: url,
    INNCTL_BASE_URL: url,
    INNCTL_TOKEN: 'token-of-the-build',
  });
  await runAll(atService);
  service.close();
  const name = cachedDataName(process.versions.v8, process.arch);
  writeFileSync(join(folder, name), cachedDataOf(chunks.loaded));
  say(`${name}\n`);
}

main();
