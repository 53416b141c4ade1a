// Preloaded with --require: writes a sorted list of the files of dist/ that the program read.
const fs = require('node:fs');
const { basename, dirname } = require('node:path');

const names = new Set();
const { readFileSync } = fs;
fs.readFileSync = (path, ...options) => {
  if (basename(dirname(String(path))) === 'dist' && /\.js$/.test(path)) names.add(basename(path));
  return readFileSync(path, ...options);
};
process.on('exit', () => {
  fs.writeFileSync(process.env.LOADED_FILES, JSON.stringify([...names].sort()));
});
