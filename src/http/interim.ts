import type { Socket } from 'node:net';

const INTERIM = Buffer.from('HTTP/1.1 100');
const HEAD_END = '\r\n\r\n';
const MAX_HEAD = 16 * 1024;

/**
 * Takes every `100 Continue` out of what arrives before an answer. A client has to skip one that it did not ask for
 * (RFC 9110, section 15.2); undici gives the connection up instead.
 *
 * It relies on undici reading with `socket.read()` and writing a request only when the answer before it has ended.
 */
export function skipContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  // Its overloads differ only in which arguments may be left out; all are passed on as they came.
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let held: Buffer | undefined = Buffer.alloc(0);
  socket.write = (...args: unknown[]) => {
    held ??= Buffer.alloc(0);
    return write(...args);
  };
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (held === undefined || chunk === null) return chunk;
    held = withoutContinue(Buffer.concat([held, chunk]));
    if (isUndecided(held)) return null;
    const rest = held;
    held = undefined;
    return rest;
  };
  return socket;
}

function withoutContinue(received: Buffer): Buffer {
  let rest = received;
  while (startsInterim(rest) && rest.includes(HEAD_END)) {
    rest = rest.subarray(rest.indexOf(HEAD_END) + HEAD_END.length);
  }
  return rest;
}

/** Whether more has to come before it shows what this is. An interim head that never ends is not waited for. */
function isUndecided(received: Buffer): boolean {
  if (received.length < INTERIM.length) return INTERIM.subarray(0, received.length).equals(received);
  return startsInterim(received) && received.length < MAX_HEAD;
}

function startsInterim(received: Buffer): boolean {
  return received.subarray(0, INTERIM.length).equals(INTERIM);
}
