// Preloaded with --require: leaves the most memory that the program held, in KiB, in the file PEAK_FILE.
process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS));
});
