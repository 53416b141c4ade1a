/**
 * One call, in a process of its own: a keyring that hangs holds a thread that nothing but the end of its process frees.
 * The request is JSON on its standard input, complete at the end of input; the answer is one line.
 * It ends by itself when its parent is gone.
 *
 * On Linux the Secret Service is meant, never the kernel's keyring, which forgets at the next start and which no tool shows.
 *
 * A command waits for this: reading and writing without streams saves a tenth of the time, and so does taking the part of
 * the library for this system where it is called as usual, instead of having the library look for it.
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
