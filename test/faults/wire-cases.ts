import type { Socket } from 'node:net';
import { type Misdeed, type WireAnswer, whole } from './front.ts';

/** One way to break HTTP, or to stretch it. */
export interface WireCase {
  readonly name: string;
  readonly misdeed: Misdeed;
}

type Shape = (answer: WireAnswer) => string | Buffer;

const OK = 'HTTP/1.1 200 OK';

/** What another try may mend: it ends without an answer. */
export const resets: readonly WireCase[] = [
  { name: 'closed at once', misdeed: (socket) => socket.end() },
  { name: 'reset at once', misdeed: (socket) => socket.resetAndDestroy() },
  written('closed in the head', ({ head }) => head, hangUp),
  written('reset in the head', ({ head }) => head, reset),
  written('closed in the status line', () => 'HTTP/1.1 2', hangUp),
  written('closed after early hints', () => hints('link: </a>'), hangUp),
];

/** What another try may mend: it ends in the middle of the answer. */
export const cuts: readonly WireCase[] = [
  written('closed before the body', ({ head, body }) => sized(head, '', body.length), hangUp),
  written('closed in the body', ({ head, body }) => sized(head, half(body), body.length), hangUp),
  written('reset in the body', ({ head, body }) => sized(head, half(body), body.length), reset),
  written('longer by its length than it is', ({ head, body }) => sized(head, body, 99_999), hangUp),
  written('a length of 2^64 - 1', ({ head, body }) => sized(head, body, '18446744073709551615'), hangUp),
  written('closed in a chunk', (answer) => chunked(answer).slice(0, -8), hangUp),
  written('closed before the last chunk', (answer) => chunked(answer, ''), hangUp),
  written('closed in the last chunk', (answer) => chunked(answer, '0\r\n'), hangUp),
  written('reset before the last chunk', (answer) => chunked(answer, ''), reset),
];

/** What another try may mend: it shows by waiting alone. */
export const silences: readonly WireCase[] = [
  { name: 'hangs', misdeed: () => {} },
  written('stops in the status line', () => 'HTTP/1.1 2'),
  written('stops in the head', ({ head }) => head),
  written('stops in the body', ({ head, body }) => sized(head, half(body), body.length)),
  written('never closes a body without a length', ({ head, body }) => `${head}\r\n${body}`),
  { name: 'drips its head', misdeed: (socket, { head }) => drip(socket, `${head}x-drip: `, 'a') },
  { name: 'drips early hints', misdeed: (socket) => drip(socket, '', hints('link: </a>')) },
];

/** Ends with the time of the command alone. */
export const dripping: WireCase = {
  name: 'drips its body',
  misdeed: (socket, { head }) => drip(socket, `${head}transfer-encoding: chunked\r\n\r\n`, chunk(' ')),
};

/** What no other try can mend, as far as anybody knows. */
export const lasting: readonly WireCase[] = [
  written('a negative length', ({ head, body }) => sized(head, body, '-5')),
  written('a length with a sign', ({ head, body }) => sized(head, body, `+${body.length}`)),
  written('a length in words', ({ head, body }) => sized(head, body, 'many')),
  written('an empty length', ({ head, body }) => sized(head, body, '')),
  written('a length of 2^64', ({ head, body }) => sized(head, body, '18446744073709551616')),
  written('two lengths', ({ head, body }) => sized(`${head}content-length: 1\r\n`, body, body.length)),
  written('one length twice', ({ head, body }) =>
    sized(`${head}content-length: ${body.length}\r\n`, body, body.length),
  ),
  written('a list of lengths', ({ head, body }) => sized(head, body, `${body.length}, ${body.length}`)),
  written('a length and chunks', ({ head, body }) =>
    chunked({ head: `${head}content-length: ${body.length}\r\n`, body }),
  ),
  written('chunks and a length', ({ head, body }) =>
    sized(`${head}transfer-encoding: chunked\r\n`, body, body.length),
  ),
  written('a length after the chunks', (answer) => chunked(answer, '0\r\ncontent-length: 1\r\n\r\n')),
  written('a chunk size that is none', ({ head, body }) => inChunks(head, `zz\r\n${body}\r\n0\r\n\r\n`)),
  written('a negative chunk size', ({ head, body }) => inChunks(head, `-1\r\n${body}\r\n0\r\n\r\n`)),
  written('a chunk size of 2^68', ({ head, body }) => inChunks(head, `${'f'.repeat(17)}\r\n${body}`)),
  written('a chunk longer than its size', ({ head, body }) => inChunks(head, `1\r\n${body}\r\n0\r\n\r\n`)),
  written('a page without any HTTP', () => '<html><body>502</body></html>', hangUp),
  written('the body alone', ({ body }) => `{${body}`, hangUp),
  written('a greeting of SSH', () => 'SSH-2.0-OpenSSH_9.2\r\n'),
  written('noise', () => Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 7 + 128) % 256))),
  written('settings of HTTP/2', () => Buffer.from('000012040000000000000300000064', 'hex')),
  written('the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  written('unasked 100 Continue', (answer) => `HTTP/1.1 100 Continue\r\n\r\n${whole(answer)}`),
  written('an alert of TLS', () => Buffer.from('15030100020246', 'hex'), hangUp),
  ...[
    ...[
      'HTTP/1 200 OK',
      'HTTP/2 200 OK',
      'HTTP/1.2 200 OK',
      'HTTP/11.1 200 OK',
      'http/1.1 200 OK',
      'ICY 200 OK',
    ],
    ...['HTTP/1.1 000 X', 'HTTP/1.1 99 X', 'HTTP/1.1 099 X', 'HTTP/1.1 1000 X', 'HTTP/1.1 1033 X'],
    ...['HTTP/1.1 -200 X', 'HTTP/1.1 2OO X', ' HTTP/1.1 200 OK'],
    ...[
      'HTTP/1.1 101 Switching Protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade',
    ],
  ].map((status) =>
    written(`the status line ${JSON.stringify(status)}`, (answer) => withStatus(answer, status)),
  ),
  ...[
    ...[
      'x-a: b\0c',
      'x-a: b\x07c',
      'x-a: \x1b]0;Ana\x07',
      'x-a: b\x7f',
      'x-a: b\rc',
      'x\0a: b',
      'x a: b',
      'x-a : b',
    ],
    ...['\xfc: b', ': b', 'no colon', 'x-a: b\r\n folded', ' x-a: b'],
  ].map((line) => written(`the header ${JSON.stringify(line)}`, (answer) => withHeader(answer, line))),
  written('lines that end in LF alone', (answer) => whole(answer).replaceAll('\r\n', '\n')),
  written('a head of 1 MiB', (answer) => withHeader(answer, `x-a: ${'a'.repeat(1_048_576)}`)),
  written('10,000 header lines', (answer) => withHeader(answer, 'x-a: b\r\n'.repeat(10_000).trimEnd())),
  written('early hints of 64 KiB', (answer) => `${hints(`x-a: ${'a'.repeat(65_536)}`)}${whole(answer)}`),
  { name: 'a head without end', misdeed: (socket) => flood(socket, `${OK}\r\n`, 'x-a: b\r\n'.repeat(100)) },
  {
    name: 'trailers without end',
    misdeed: (socket) =>
      flood(socket, `${OK}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n`, 'x-a: b\r\n'.repeat(100)),
  },
];

/** What is longer than anybody wants to read. */
export const endless: readonly WireCase[] = [
  {
    name: 'a chunked body without end',
    misdeed: (socket) =>
      flood(socket, `${OK}\r\ntransfer-encoding: chunked\r\n\r\n`, chunk(' '.repeat(9_999))),
  },
  {
    name: 'a sized body without end',
    misdeed: (socket) => flood(socket, sized(`${OK}\r\n`, '', Number.MAX_SAFE_INTEGER), ' '.repeat(9_999)),
  },
  {
    name: 'a body without length or end',
    misdeed: (socket) => flood(socket, `${OK}\r\n\r\n`, ' '.repeat(9_999)),
  },
];

/** What is odd or superfluous, and leaves no doubt about the answer. */
export const harmless: readonly WireCase[] = [
  written('102 and 199', (answer) => `HTTP/1.1 102\r\n\r\nHTTP/1.1 199 X\r\n\r\n${whole(answer)}`),
  written('early hints', (answer) => `${hints('link: </a>')}${whole(answer)}`),
  written('10,000 early hints', (answer) => `${hints('link: </a>').repeat(10_000)}${whole(answer)}`),
  written('empty lines before', (answer) => `\r\n\r\n${whole(answer)}`),
  written('no reason', (answer) => withStatus(answer, 'HTTP/1.1 200')),
  written('a reason of 1 MiB', (answer) => withStatus(answer, `${OK}${'K'.repeat(1_048_576)}`)),
  written('a NUL in the reason', (answer) => withStatus(answer, 'HTTP/1.1 200 O\0K')),
  written('HTTP/1.0, closed', (answer) => withStatus(answer, 'HTTP/1.0 200 OK'), hangUp),
  written('chunks', (answer) => chunked(answer)),
  written('chunks of one byte', ({ head, body }) =>
    inChunks(head, `${[...body].map((byte) => chunk(byte)).join('')}0\r\n\r\n`),
  ),
  written('a chunk extension', (answer) => chunked(answer, '0;a=b\r\n\r\n')),
  written('a trailer', (answer) => chunked(answer, '0\r\nx-a: b\r\n\r\n')),
  written('no length, and closed', ({ head, body }) => `${head}\r\n${body}`, hangUp),
  written('an upgrade offered', (answer) => withHeader(answer, 'upgrade: h2c\r\nconnection: upgrade')),
  written('headers in UTF-8', (answer) => withHeader(answer, 'x-a: Z\xc3\xbcrich\xe2\x80\xae\xc2\x9b')),
  written('headers named as what objects have', (answer) =>
    withHeader(answer, ['__proto__: a', '__proto__: b', 'constructor: c', 'toString: d'].join('\r\n')),
  ),
  written('thousands of empty headers', (answer) => withHeader(answer, 'a:\r\n'.repeat(5_000).trimEnd())),
  written('bytes after it', (answer) => `${whole(answer)}\r\n\r\ngarbage`),
  written('another answer after it', (answer) => whole(answer) + whole({ ...answer, body: '{"id":"MUC"}' })),
  written('closed after it unsaid', whole, hangUp),
  written('reset after it', whole, reset),
  { name: 'one byte at a time', misdeed: (socket, answer) => byteByByte(socket, whole(answer)) },
];

/** Sound HTTP, and a service that says it failed. */
export const failure: WireCase = written('a failure of the service', ({ head }) =>
  withStatus({ head, body: '{}' }, 'HTTP/1.1 500 Internal Server Error'),
);

function written(name: string, shape: Shape, then: (socket: Socket) => void = () => {}): WireCase {
  return {
    name,
    misdeed: (socket, answer) => {
      const bytes = shape(answer);
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => then(socket));
    },
  };
}

function hangUp(socket: Socket): void {
  socket.end();
}

/**
 * Once what was written has been read: a reset takes along what has not been. Timers come before reading in a turn of the
 * event loop, immediates after it: after a timer alone a stalled process would not have read.
 */
export function reset(socket: Socket): void {
  setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 20);
}

function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}

function sized(head: string, body: string, length: number | string): string {
  return `${head}content-length: ${length}\r\n\r\n${body}`;
}

function inChunks(head: string, chunks: string): string {
  return `${head}transfer-encoding: chunked\r\n\r\n${chunks}`;
}

function chunked({ head, body }: WireAnswer, last = '0\r\n\r\n'): string {
  return inChunks(head, `${chunk(body)}${last}`);
}

function chunk(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n`;
}

function withStatus(answer: WireAnswer, status: string): string {
  return whole(answer).replace(/^.*/, status);
}

function withHeader(answer: WireAnswer, line: string): string {
  return whole(answer).replace('\r\n', `\r\n${line}\r\n`);
}

function hints(header: string): string {
  return `HTTP/1.1 103 Early Hints\r\n${header}\r\n\r\n`;
}

/** Writes without an end, as fast as it is read. */
export function flood(socket: Socket, first: string, rest: string): void {
  const more = () => {
    while (socket.writable && socket.write(rest));
  };
  socket.on('drain', more);
  socket.write(first);
  more();
}

function drip(socket: Socket, first: string, rest: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(rest), 10);
  socket.once('close', () => clearInterval(timer));
}

function byteByByte(socket: Socket, bytes: string): void {
  const next = (at: number) => {
    if (at < bytes.length) socket.write(bytes.charAt(at), 'latin1', () => setImmediate(next, at + 1));
  };
  next(0);
}
