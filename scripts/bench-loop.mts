import { readFileSync } from 'node:fs';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';

/**
 * The minimal time of many creations in Node: each line of a file is posted unchanged, over the given number of
 * connections, and the id of each response is read. Arguments: the file, the origin, the connections.
 */
async function main([path = '', origin = '', connections = '']: readonly string[]): Promise<void> {
  const bodies = readFileSync(path, 'utf8').trimEnd().split('\n').values();
  const pool = new Pool(origin, { connections: Number(connections) });
  const post = async () => {
    for (const body of bodies) {
      const answer = await request.call(pool, {
        method: 'POST',
        path: '/inventory/v1/properties',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token-of-ana-1234567890' },
        body,
      });
      const created = await answer.body.json();
      if (answer.statusCode !== 201) throw new Error(`${answer.statusCode}: ${JSON.stringify(created)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(connections) }, post));
  await pool.close();
}

void main(process.argv.slice(2));
