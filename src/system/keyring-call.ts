/**
 * One call, in a process of its own: a keyring that hangs holds a thread that nothing but the end of its process frees.
 * The secret comes and goes by pipes, as JSON. On Linux the Secret Service is meant, never the kernel's keyring, which
 * forgets at the next start and which no tool shows.
 */
export const keyringCall = `
const [library, verb, service, account] = process.argv.slice(1);
const { AsyncEntry } = require(library);
const say = (answer) => process.stdout.write(JSON.stringify(answer));
const work = async (secret) => {
  const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  if (verb === 'read') return (await entry.getPassword()) ?? undefined;
  if (verb === 'write') await entry.setPassword(secret);
  else await entry.deleteCredential();
};
let text = '';
process.stdin.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () =>
  work(text).then((secret) => say({ secret }), (error) => say({ error: String(error.message) })));
`;
