import { startSandbox } from '../../src/sandbox/server.ts';
import { hotel } from './hotel.ts';

/** `writer.ts <folder> <name> <count>`: creates that many properties over HTTP, each with its own code. */
async function write(folder = '', name = '', count = ''): Promise<void> {
  const { url, close } = await startSandbox({ folder, now: Date.now });
  for (let index = 0; index < Number(count); index += 1) {
    const response = await fetch(`${url}/inventory/v1/properties`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hotel(`${name}_${index}`)),
    });
    const text = await response.text();
    process.stdout.write(`${response.status} ${text}\n`);
  }
  await close();
}

// Exceeding the file size limit must be an error of the write, not kill the process.
process.on('SIGXFSZ', () => {});
void write(...process.argv.slice(2));
