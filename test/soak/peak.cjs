// Preloaded with --require: leaves the most memory that the program held, in KiB, in the file PEAK_FILE.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  // On Linux maxRSS includes what the parent held before exec.
  const peak =
    process.platform === 'linux'
      ? /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
      : process.resourceUsage().maxRSS;
  writeFileSync(process.env.PEAK_FILE, String(peak));
});
