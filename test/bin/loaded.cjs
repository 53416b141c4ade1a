// Preloaded with --require: writes which files of dist/ the program compiles, in order, and how many bytes each has.
const { writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname } = require('node:path');

const loaded = [];
const { _compile: compile } = Module.prototype;
Module.prototype._compile = function (code, path, ...rest) {
  if (basename(dirname(path)) === 'dist') loaded.push([basename(path, '.js'), Buffer.byteLength(code)]);
  return compile.call(this, code, path, ...rest);
};

process.on('exit', () => writeFileSync(process.env.LOADED_FILES, JSON.stringify(loaded)));
