/**
 * The program of one keyring call, which runs in its own process: a keyring that hangs blocks a thread until the process ends.
 * Reads the request as JSON from stdin until end of input, and writes the answer as one line. Kills itself after `limitMs`.
 *
 * On Linux it uses the Secret Service, not the kernel's keyring, which is lost at the next boot.
 *
 * Synchronous reads and writes, and requiring the platform's package directly, each save a tenth of the time.
 */
export const keyringCall = `
const { readFileSync, writeFileSync } = require('node:fs');
const { library, verb, service, account, secret, limitMs } = JSON.parse(readFileSync(0, 'utf8'));
setTimeout(() => process.kill(process.pid, 'SIGKILL'), limitMs);
const say = (answer) => writeFileSync(1, JSON.stringify(answer) + '\\n');
const load = () => {
  const { platform, arch } = process;
  const libc = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  try {
    return require('node:module').createRequire(library)('@napi-rs/keyring-' + platform + '-' + arch + libc);
  } catch {
    return require(library);
  }
};
const call = async (AsyncEntry) => {
  const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  if (verb === 'read') return { secret: await entry.getPassword() };
  if (verb === 'write') await entry.setPassword(secret);
  else await entry.deleteCredential();
  return { secret: null };
};
const loaded = (() => { try { return load(); } catch { return undefined; } })();
if (loaded === undefined) say({ isUnloadable: true });
else call(loaded.AsyncEntry).then(say, (error) => say({ error: String(error.message) }));
`;
