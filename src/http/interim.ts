import type { Socket } from 'node:net';

/** Up to the status and its end; 101 is not one of them: it would hand the connection over to another protocol. */
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const VERSION = 'HTTP/1.';
const STATUS_START = 'HTTP/1.1 '.length;
const ONE = 0x31;
const STATUS_END = 'HTTP/1.1 100 '.length;
const HEAD_END = '\r\n\r\n';
const MAX_HEAD = 16 * 1024;

/**
 * Takes every interim head (100, 102, 103, ...) out of what arrives before an answer. A client has to skip those that it
 * did not ask for (RFC 9110, section 15.2); undici gives the connection up at a 100.
 *
 * It relies on undici reading with `socket.read()` and writing a request only when the answer before it has ended.
 */
export function skipInterim(socket: Socket): Socket {
  const nothing = Buffer.alloc(0);
  const read = socket.read.bind(socket);
  // Its overloads differ only in which arguments may be left out; all are passed on as they came.
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let held: Buffer | undefined = nothing;
  socket.write = (...args: unknown[]) => {
    held ??= nothing;
    return write(...args);
  };
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (held === undefined || chunk === null) return chunk;
    held = withoutInterim(held === nothing ? chunk : Buffer.concat([held, chunk]));
    if (isUndecided(held)) return null;
    const rest = held;
    held = undefined;
    return rest;
  };
  return socket;
}

function withoutInterim(received: Buffer): Buffer {
  let rest = received;
  while (startsInterim(rest) && rest.includes(HEAD_END)) {
    rest = rest.subarray(rest.indexOf(HEAD_END) + HEAD_END.length);
  }
  return rest;
}

/** Whether more has to come before it shows what this is. An interim head that never ends is not waited for. */
function isUndecided(received: Buffer): boolean {
  if (received.length < STATUS_END) return VERSION.startsWith(received.toString('latin1', 0, VERSION.length));
  return startsInterim(received) && received.length < MAX_HEAD;
}

function startsInterim(received: Buffer): boolean {
  return received[STATUS_START] === ONE && INTERIM.test(received.toString('latin1', 0, STATUS_END));
}
