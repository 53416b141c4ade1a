// Preloaded with --require: writes a sorted list of the files of dist/ that the program loaded.
const { writeFileSync } = require('node:fs');
const { basename, dirname } = require('node:path');

process.on('exit', () => {
  const loaded = Object.keys(require.cache).filter((path) => basename(dirname(path)) === 'dist');
  writeFileSync(process.env.LOADED_FILES, JSON.stringify(loaded.map((path) => basename(path)).sort()));
});
