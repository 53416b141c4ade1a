// Runs command lines of a build in this process, one after the other, each with freshly loaded modules and the same clock,
// random numbers and ids. The standard streams are those of a real process: stdout and stderr are files, stdin is empty.
const { channel } = require('node:diagnostics_channel');
const crypto = require('node:crypto');
const { createReadStream, readFileSync, truncateSync } = require('node:fs');
const { ServerResponse } = require('node:http');
const Module = require('node:module');
const net = require('node:net');
const { dirname, join } = require('node:path');
const timers = require('node:timers/promises');
const { Script } = require('node:vm');

const [build, outFile, errFile] = process.argv.slice(2);
const binary = join(build, 'bin/innctl.js');

/** Lines that wait longer, such as for a browser, are ended as by a person. */
const LIMIT_MS = 5_000;
/** How long work that a line abandoned may go on, until this process is not used any more. */
const GRACE_MS = 500;
const START = Date.parse('2025-03-03T09:00:00Z');

let slept = 0;
let given = 0;
let requests = [];
let end = () => {};

const now = () => START + slept;
Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
});
const { setTimeout: pause } = timers;
timers.setTimeout = async (ms, ...rest) => {
  const value = await pause(ms, ...rest);
  slept += ms ?? 0;
  return value;
};

const nextId = () => {
  given += 1;
  return `00000000-0000-4000-8000-${given.toString(16).padStart(12, '0')}`;
};
crypto.randomUUID = nextId;
globalThis.crypto.randomUUID = nextId;
crypto.randomBytes = (size) => Buffer.alloc(size, 7);
Math.random = () => 0.5;

/** No other machine is reached. */
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectHere(...args) {
  const { host = 'localhost', path } = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (path === undefined && /^(localhost|127\.|::1)/.test(host)) return connect.apply(this, args);
  const refused = Object.assign(new Error(`connect ECONNREFUSED ${host}`), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  });
  process.nextTick(() => this.destroy(refused));
  return this;
};

channel('http.server.request.start').subscribe(({ request, response }) => {
  const { method, url, rawHeaders } = request;
  const entry = { method, url, headers: rawHeaders, body: '' };
  requests.push(entry);
  const { push } = request;
  request.push = (chunk, ...rest) => {
    entry.body += chunk ?? '';
    return push.call(request, chunk, ...rest);
  };
  if (response instanceof ServerResponse) response.setHeader('date', new Date().toUTCString());
});

/** The files of the build are compiled once; each line evaluates them again. */
const compile = Module.prototype._compile;
const scripts = new Map();
Module.prototype._compile = function compileOnce(code, filename) {
  if (!filename.startsWith(join(build, 'dist'))) return compile.call(this, code, filename);
  if (!scripts.has(filename)) scripts.set(filename, new Script(Module.wrap(code), { filename }));
  const wrapped = scripts.get(filename).runInThisContext();
  return wrapped(this.exports, Module.createRequire(filename), this, filename, dirname(filename));
};

process.exit = (code) => end({ exitCode: code ?? process.exitCode ?? 0, isIdle: false });
process.on('beforeExit', () => end({ exitCode: process.exitCode ?? 0, isIdle: true }));
process.on('message', async ({ argv, env, home }) => {
  begin(argv, env, home);
  const ending = new Promise((resolve) => {
    end = resolve;
  });
  const limit = setTimeout(() => process.emit('SIGTERM', 'SIGTERM'), LIMIT_MS).unref();
  process.channel.unref();
  require(binary);
  const { exitCode, isIdle } = await ending;
  clearTimeout(limit);
  const answer = {
    exitCode,
    stdout: readFileSync(outFile, 'utf8'),
    stderr: readFileSync(errFile, 'utf8'),
    requests,
    isIdle: isIdle || (await idle()),
  };
  process.channel.ref();
  process.send(answer);
});

const emitters = [process, process.stdout, process.stderr];
const ours = new Map(emitters.map((each) => [each, new Set(each.eventNames())]));

function begin(argv, env, home) {
  for (const path of Object.keys(require.cache)) if (path.startsWith(build)) delete require.cache[path];
  module.children.length = 0;
  for (const each of emitters)
    for (const name of each.eventNames()) if (!ours.get(each).has(name)) each.removeAllListeners(name);
  for (const file of [outFile, errFile]) truncateSync(file);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(home);
  process.argv = [process.execPath, binary, ...argv];
  process.exitCode = undefined;
  const stdin = createReadStream('/dev/null');
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => stdin });
  [slept, given, requests] = [0, 0, []];
}

/** Whether nothing of the line goes on. */
function idle() {
  return new Promise((resolve) => {
    end = ({ isIdle }) => resolve(isIdle);
    setTimeout(() => resolve(false), GRACE_MS).unref();
  });
}
