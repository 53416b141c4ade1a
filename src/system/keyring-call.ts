/**
 * One call, in a process of its own: a keyring that hangs holds a thread that nothing but the end of its process frees.
 * What is asked comes by its standard input, as JSON, and counts when it has come to its end; the answer is one line.
 * It ends by itself too, should nobody be there any more to end it.
 *
 * On Linux the Secret Service is meant, never the kernel's keyring, which forgets at the next start and which no tool shows.
 */
export const keyringCall = `
let text = '';
process.stdin.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => {
  const { library, verb, service, account, secret, limitMs } = JSON.parse(text);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), limitMs);
  const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');
  const call = async (AsyncEntry) => {
    const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    if (verb === 'read') return { secret: await entry.getPassword() };
    if (verb === 'write') await entry.setPassword(secret);
    else await entry.deleteCredential();
    return {};
  };
  let loaded;
  try { loaded = require(library); } catch { return say({ unloadable: true }); }
  call(loaded.AsyncEntry).then(say, (error) => say({ error: String(error.message) }));
});
`;
