import { connect } from 'node:net';

/** Milliseconds within which the Secret Service must answer. It usually takes one or two. */
const LIMIT_MS = 500;

/** Bytes; an answer names a few entries. */
const MAX_ANSWER = 65_536;

/**
 * Whether the Secret Service (Linux) shows an entry as unlocked. Then a call of the keyring library for it neither prompts nor
 * hangs. Sends one request over the session bus (D-Bus) and never rejects; `false` if there is no usable answer in time.
 *
 * @param attributes those of the entry, as the library stores them.
 */
export function isUnlocked(
  env: Readonly<Record<string, string | undefined>>,
  attributes: Readonly<Record<string, string>>,
): Promise<boolean> {
  const path = socketOf(env);
  if (path === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isFound: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isFound);
    };
    const timer = setTimeout(end, LIMIT_MS, false);
    let said: Buffer = Buffer.alloc(0);
    socket
      .on('error', () => end(false))
      .on('close', () => end(false))
      .on('data', (bytes) => {
        said = Buffer.concat([said, bytes]);
        const answer = answerIn(said);
        if (answer !== undefined || said.length > MAX_ANSWER) end(answer === true);
      })
      .write(Buffer.concat([greeting, hello, search(attributes)]));
  });
}

/** The socket of the session bus; `undefined` if its address is of another kind. */
function socketOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const runtime = env['XDG_RUNTIME_DIR'];
  const address = env['DBUS_SESSION_BUS_ADDRESS'] ?? (runtime && `unix:path=${runtime}/bus`);
  return /^unix:path=([^,;%]+)(?:,guid=\w+)?$/.exec(address ?? '')?.[1];
}

/** Logs in as the user that the socket belongs to. */
const greeting = Buffer.from('\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n');

const bus = 'org.freedesktop.DBus';
const hello = methodCall(1, { bus, path: '/org/freedesktop/DBus', interface: bus, method: 'Hello' });

function search(attributes: Readonly<Record<string, string>>): Buffer {
  const entries = joined(
    8,
    ...Object.entries(attributes).map(([name, value]) => joined(4, string(name), string(value))),
  );
  return methodCall(
    2,
    {
      bus: 'org.freedesktop.secrets',
      path: '/org/freedesktop/secrets',
      interface: 'org.freedesktop.Secret.Service',
      method: 'SearchItems',
    },
    'a{ss}',
    joined(8, uint32(entries.length), entries),
  );
}

/** A message of D-Bus, little-endian (D-Bus specification, "Message Format"). */
function methodCall(
  serial: number,
  to: { readonly bus: string; readonly path: string; readonly interface: string; readonly method: string },
  signature = '',
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const field = (code: number, type: string, value: Buffer) =>
    Buffer.concat([Buffer.from([code, 1]), Buffer.from(`${type}\0`), value]);
  const fields = joined(
    8,
    field(1, 'o', string(to.path)),
    field(6, 's', string(to.bus)),
    field(2, 's', string(to.interface)),
    field(3, 's', string(to.method)),
    field(8, 'g', Buffer.from(`${String.fromCharCode(signature.length)}${signature}\0`)),
  );
  const start = Buffer.from(['l'.charCodeAt(0), 1, 0, 1]);
  return joined(8, Buffer.concat([start, ...[body.length, serial, fields.length].map(uint32), fields]), body);
}

/** Joins values, each of which starts at a multiple of so many bytes. */
function joined(alignment: number, ...values: readonly Buffer[]): Buffer {
  return values.reduce((before, value) =>
    Buffer.concat([before, Buffer.alloc(-before.length & (alignment - 1)), value]),
  );
}

function string(text: string): Buffer {
  return Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(`${text}\0`)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const METHOD_RETURN = 2;
const ERROR = 3;

/** The answer to the search: the reply to the second call. `undefined` while it is incomplete. */
function answerIn(said: Buffer): boolean | undefined {
  const ok = said.indexOf('OK ');
  const begin = ok < 0 ? -1 : said.indexOf('\r\n', ok);
  if (begin < 0) return undefined;
  let isGreeted = false;
  for (let at = begin + 2; at + 16 <= said.length; ) {
    const isLittleEndian = said.toString('latin1', at, at + 1) === 'l';
    if (!isLittleEndian || said[at + 1] === ERROR) return false;
    const fields = said.readUInt32LE(at + 12);
    const start = at + 16 + fields + (-fields & 7);
    const end = start + said.readUInt32LE(at + 4);
    if (end > said.length) return undefined;
    if (said[at + 1] === METHOD_RETURN) {
      if (isGreeted) return hasOnlyUnlocked(said.subarray(start, end));
      isGreeted = true;
    }
    at = end;
  }
  return undefined;
}

/** Reads two arrays of object paths: the entries that are unlocked, and those that are locked. */
function hasOnlyUnlocked(body: Buffer): boolean {
  const unlocked = body.length < 8 ? 0 : body.readUInt32LE();
  const after = 4 + unlocked + (-unlocked & 3);
  return unlocked > 0 && after + 4 <= body.length && body.readUInt32LE(after) === 0;
}
