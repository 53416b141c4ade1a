#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`error: innctl needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  require('../dist/start.js').start(`${__dirname}/../dist`, process);
}
