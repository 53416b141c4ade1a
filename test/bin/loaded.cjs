// Preloaded with --require: leaves a list of the files that the program loaded.
process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.LOADED_FILES, JSON.stringify(Object.keys(require.cache)));
});
