import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isUnlocked } from '../../src/auth/secret-service.ts';
import { test } from '../config/with-folder.ts';

const attributes = { service: 'innctl', username: 'chain' };

/** What a bus at this path makes of the question, and what it received. */
async function asking(folder: string, answer: (socket: Socket) => void) {
  const path = join(folder, 'bus');
  let received = '';
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        received += bytes.toString('latin1');
      });
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const isFound = await isUnlocked({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path},guid=0af1` }, attributes);
  await new Promise((resolve) => server.close(resolve));
  return { isFound, received };
}

const welcome = Buffer.from('DATA\r\nOK 0af1\r\n');

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A message with a field of 5 bytes. Types: 2 is a method return, 3 an error, 4 a signal. */
const message = (type: number, body: Buffer = Buffer.alloc(0), order = 'l') =>
  Buffer.concat([
    Buffer.from([order.charCodeAt(0), type, 0, 1]),
    ...[body.length, 1, 5].map(uint32),
    Buffer.alloc(8),
    body,
  ]);

/** An array of object paths. */
const paths = (...names: readonly string[]) => {
  const items = names.map((name) => {
    const item = Buffer.concat([uint32(name.length), Buffer.from(`${name}\0`)]);
    return Buffer.concat([item, Buffer.alloc(-item.length & 3)]);
  });
  // The padding after the last item does not count.
  const length =
    items.reduce((sum, { length: part }) => sum + part, 0) - ((-(names.at(-1)?.length ?? 3) - 5) & 3);
  return Buffer.concat([uint32(length), ...items]);
};

const hello = Buffer.concat([message(2, uint32(1)), message(4, uint32(7))]);
const found = (...lists: readonly Buffer[]) =>
  Buffer.concat([welcome, hello, message(2, Buffer.concat(lists))]);
const unlocked = found(paths('/a', '/bcd'), paths());

test('an unlocked entry is found, however the answer arrives', async ({ folder }) => {
  const { isFound, received } = await asking(folder, (socket) => socket.write(unlocked));
  const inPieces = await asking(folder, async (socket) => {
    for (const byte of unlocked) {
      socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
  });

  expect([isFound, inPieces.isFound]).toEqual([true, true]);
  for (const text of ['AUTH EXTERNAL', 'Hello', 'SearchItems', 'a{ss}', 'service\0', 'innctl\0', 'chain\0'])
    expect(received).toContain(text);
});

test.for([
  { answer: 'an entry that is locked', bytes: found(paths(), paths('/a')) },
  { answer: 'an entry that is locked beside one that is not', bytes: found(paths('/b'), paths('/a')) },
  { answer: 'no entry', bytes: found(paths(), paths()) },
  { answer: 'only one list', bytes: found(paths('/a')) },
  { answer: 'a list that is longer than the answer', bytes: found(uint32(0xffff_ffff), paths()) },
  { answer: 'an empty answer', bytes: found() },
  { answer: 'an error', bytes: Buffer.concat([welcome, hello, message(3)]) },
  { answer: 'a refused greeting', bytes: Buffer.concat([welcome, message(3)]) },
  { answer: 'another byte order', bytes: Buffer.concat([welcome, message(2, Buffer.alloc(0), 'B')]) },
  { answer: 'plain text', bytes: Buffer.from('REJECTED EXTERNAL\r\nOK \r\nHTTP/1.1 200 OK and no more\r\n') },
  { answer: 'nothing', bytes: Buffer.alloc(0) },
  { answer: 'half of an answer', bytes: unlocked.subarray(0, unlocked.length - 1) },
  { answer: 'more than 64 KiB', bytes: Buffer.alloc(100_000, 'OK') },
])('$answer does not count as unlocked', async ({ bytes }, { folder }) => {
  const { isFound } = await asking(folder, (socket) => socket.write(bytes));

  expect(isFound).toBe(false);
});

test('a bus that hangs up does not count as unlocked', async ({ folder }) => {
  expect((await asking(folder, (socket) => socket.destroy())).isFound).toBe(false);
});

test.for([
  {},
  { DBUS_SESSION_BUS_ADDRESS: '' },
  { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' },
  { DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/tmp/bus' },
  { DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=1' },
  { XDG_RUNTIME_DIR: '/nowhere' },
])('without a bus at a path nothing counts as unlocked: %j', async (env) => {
  expect(await isUnlocked(env, attributes)).toBe(false);
});
