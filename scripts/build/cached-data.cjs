'use strict';
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { homedir } = require('node:os');
const { join } = require('node:path');
const v8 = require('node:v8');

/**
 * Runs the most frequent commands with the built files of a folder, and stores the resulting V8 code cache.
 * The home folder is empty. Prints the name of the file.
 */
const [, , folder] = process.argv;

const atSandbox = [
  ['--sandbox', 'properties', 'list', '--output', 'table'],
  ['--sandbox', 'properties', 'get', 'BER', '--output', 'table'],
];

/** A real service uses other code than the sandbox. */
const atService = [
  ['profiles', 'list'],
  ['properties', 'list', '--output', 'table'],
  ['properties', 'list', '--json'],
];

const list = JSON.stringify({ items: [{ id: 'BER', code: 'BER', name: { en: 'Berlin' } }], count: 1 });
const user = JSON.stringify({ subject_id: 'ana', email: 'ana@example.com' });
const created = JSON.stringify({ id: 'MUC' });

/** Enough records that V8 caches the code that runs for each record. */
const HOTELS = 100;

const hotel = (number) => ({
  code: `H${number}`,
  name: { en: `Hotel ${number}`, de: `Gasthof ${number}` },
  company_name: `Hotel ${number} GmbH`,
  commercial_register_entry: `HRB ${number}`,
  tax_id: `DE${number}`,
  location: { address_line1: 'Ring 1', postal_code: '10115', city: 'Berlin', country_code: 'DE' },
  time_zone: 'Europe/Berlin',
  default_check_in_time: '15:00:00',
  default_check_out_time: '11:00:00',
  currency_code: 'EUR',
});

async function main() {
  // V8 accepts the cache only with the same flags.
  v8.setFlagsFromString = () => {};
  const { openChunks, cachedDataName, cachedDataOf } = require(join(folder, 'start.js'));
  const chunks = openChunks(folder, '', require);
  const { main: run } = chunks.load('core.js');
  const say = process.stdout.write.bind(process.stdout);
  process.stdout.write = (_text, then) => then?.();
  const runAll = async (lines) => {
    for (const line of lines) {
      process.argv = [process.execPath, 'innctl', ...line];
      await run();
      if (process.exitCode !== 0) throw new Error(`innctl ${line.join(' ')} ended with ${process.exitCode}.`);
    }
  };
  await runAll(atSandbox);
  const service = createServer(({ method, url }, response) => {
    const answer = method === 'POST' ? created : url.endsWith('/me') ? user : list;
    response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${service.address().port}`;
  Object.assign(process.env, {
    INNCTL_IDENTITY_URL: url,
    INNCTL_BASE_URL: url,
    INNCTL_TOKEN: 'token-of-the-build',
  });
  await runAll(atService);
  const manifest = join(homedir(), 'hotels.ndjson');
  writeFileSync(
    manifest,
    Array.from({ length: HOTELS }, (_, number) => JSON.stringify(hotel(number))).join('\n'),
  );
  await runAll([['apply', manifest, '--yes']]);
  service.close();
  const name = cachedDataName(process);
  writeFileSync(join(folder, name), cachedDataOf(chunks.loaded));
  say(`${name}\n`);
}

main();
