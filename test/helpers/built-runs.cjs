// Runs the built program for each message, in this process; every connection is refused and counted.
const { mkdtempSync, rmSync } = require('node:fs');
const net = require('node:net');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const dist = join(__dirname, '../../dist');
const { start } = require(join(dist, 'start.js'));

// Where Node keeps compiled code, it must not be in the home of the tester.
const folder = mkdtempSync(join(tmpdir(), 'innctl-built-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

let begun = 0;
net.Socket.prototype.connect = function connect() {
  begun += 1;
  process.nextTick(() =>
    this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })),
  );
  return this;
};

// With a format in the environment, `start` leaves everything to the program.
// Each run adds listeners for signals and for stream errors.
for (const each of [process, process.stdout, process.stderr]) each.setMaxListeners(0);

process.on('message', async ({ argv, env }) => {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    process[name].write = (text, then) => {
      said[name] += text;
      then?.();
      return true;
    };
  begun = 0;
  process.argv = [process.execPath, 'innctl', ...argv];
  process.env = env;
  await new Promise((exit) =>
    start(dist, {
      argv: process.argv,
      env: { INNCTL_OUTPUT: 'table', INNCTL_CONFIG_DIR: folder },
      versions: process.versions,
      exit,
      on() {},
    }),
  );
  process.send({ exitCode: process.exitCode, begun, ...said });
});
