import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../cli/errors.ts';
import { type Keyring, KeyringFailure, type KeyringTrouble } from '../cli/ports.ts';
import { keyringCall } from './keyring-call.ts';

/** The name under which the platform's own tools show our entries. */
const SERVICE = 'innctl';

/** What of the process a call needs: the executable that runs it, and where it finds the keyring of the person. */
export interface Surroundings {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The keyring of this system. Nothing is loaded before it is used. */
export function systemKeyring(surroundings: Surroundings): Keyring {
  const keyring: Keyring = {
    read: async (account) => (await ask(surroundings, { verb: 'read', account })).secret,
    write: async (account, secret) => {
      // What is no Unicode comes back as something else.
      if (!secret.isWellFormed()) throw new KeyringFailure('refused', 'keeps nothing that is not Unicode');
      await ask(surroundings, { verb: 'write', account, secret });
    },
    remove: async (account) => {
      await ask(surroundings, { verb: 'remove', account });
    },
  };
  return surroundings.platform === 'win32' ? splitKeyring(keyring) : keyring;
}

interface Call {
  readonly verb: 'read' | 'write' | 'remove';
  readonly account: string;
  readonly secret?: string;
}

async function ask({ execPath, env, platform }: Surroundings, call: Call): Promise<Answer> {
  const library = libraryPath();
  const answer = await answerOf(
    { ...call, library, service: SERVICE },
    { execPath, env: neededOf(env), cwd: dirname(library), detached: platform !== 'win32' },
  );
  if (answer.isUnloadable) throw noLibrary();
  if (answer.error !== undefined) throw failureIn(answer.error);
  return answer;
}

function libraryPath(): string {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    throw noLibrary();
  }
}

function noLibrary(): KeyringFailure {
  return new KeyringFailure(
    'missing',
    'cannot be reached: the optional package @napi-rs/keyring is not installed, or has no part for this system',
  );
}

/** How D-Bus, macOS and Windows find the keyring of a person, and Node its libraries. None of them is a secret. */
const needed =
  /^(?:DBUS_\w+|XDG_\w+|HOME|USER|LOGNAME|PATH|LANG|LC_\w+|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_\w+|__CF_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERPROFILE|USERNAME|USERDOMAIN|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/i;

function neededOf(env: Surroundings['env']): Surroundings['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}

const LIMIT_MS = 3_000;

/** What is said of a keyring that is silent. */
const DID_NOT_ANSWER = `did not answer within ${LIMIT_MS / 1_000} s`;

/** Characters; no secret is as long. */
const LONGEST_ANSWER = 4_194_304;

/** What a call answers: the secret that is there, if any; or why not. */
interface Answer {
  readonly secret?: string;
  /** In the words of the library. */
  readonly error?: string;
  /** The library does not load. */
  readonly isUnloadable?: true;
}

/** How the process of a call is started. */
export interface Start extends Pick<SpawnOptions, 'cwd' | 'detached'> {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes one call in a process of its own. One that is `detached` does not hear ^C: a secret that is on its way into the
 * keyring gets there.
 *
 * @throws {KeyringFailure} when there is no answer, at the latest after 3 s.
 */
function answerOf(call: object, start: Start): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = started(start);
    let said = '';
    // Whether it has answered or not, there is nothing left that it should do.
    const end = () => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      child.stdout.destroy();
    };
    const fail = (failure: KeyringFailure) => {
      end();
      reject(failure);
    };
    const timer = setTimeout(() => fail(new KeyringFailure('silent', DID_NOT_ANSWER)), LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      // Only what is new is searched: an answer without an end is read as fast as it comes.
      const isWhole = text.includes('\n');
      if (!isWhole && said.length <= LONGEST_ANSWER) return;
      const answer = isWhole ? answerIn(said.slice(0, said.indexOf('\n'))) : undefined;
      if (answer === undefined)
        return fail(new KeyringFailure('refused', 'answered with something else than a secret'));
      end();
      resolve(answer);
    });
    child.stdin.on('error', () => {}).end(JSON.stringify({ ...call, limitMs: LIMIT_MS }));
    child.once('error', (cause) => fail(unreachable(cause)));
    child.once('close', (exitCode, signal) =>
      fail(unreachable(new Error(`the program that asks it ended with ${signal ?? exitCode}`))),
    );
  });
}

type Child = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

function started({ execPath, ...options }: Start): Child {
  try {
    return spawn(execPath, ['-e', keyringCall], {
      ...options,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
  } catch (cause) {
    throw unreachable(cause);
  }
}

function unreachable(cause: unknown): KeyringFailure {
  return new KeyringFailure('missing', `cannot be reached: ${messageOf(cause)}`);
}

/** `undefined` for what no call of ours says. */
function answerIn(line: string): Answer | undefined {
  try {
    const { secret, error, isUnloadable }: Readonly<Record<string, unknown>> = JSON.parse(line);
    if (isUnloadable === true) return { isUnloadable };
    if (typeof error === 'string') return { error };
    if (typeof secret === 'string') return { secret };
    return secret === null ? {} : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What the library says, most of it in the words of D-Bus, and what is to be made of it; the first that fits counts. Each was
 * seen on a Linux in that state (test/real/keyring.test.ts), but for the one of macOS, which is Apple's text for a locked keychain.
 */
const failures: readonly (readonly [said: RegExp, trouble: KeyringTrouble, message: string])[] = [
  [/Did not receive a reply/, 'silent', DID_NOT_ANSWER],
  [/prompt was dismissed|User interaction is not allowed/, 'locked', 'is locked'],
  [/no result found/, 'missing', 'has no collection that could hold a secret'],
  [
    /not provided by any|Process \S+ exited with/,
    'missing',
    'cannot be reached: no program here keeps secrets for the session (Secret Service)',
  ],
  [/Rejected send message/, 'refused', 'does not let innctl in'],
  [/DBus error/, 'missing', 'cannot be reached over the session bus (D-Bus)'],
  [/matched by \d+ credentials/, 'refused', 'has several entries of innctl for the same account'],
  [/not valid UTF-8/, 'refused', 'contains an entry for this account that is not text'],
];

/** Says it in words of ours: those of the library quote what they are about. */
function failureIn(said: string): KeyringFailure {
  const [, trouble, message] = failures.find(([pattern]) => pattern.test(said)) ?? [];
  return new KeyringFailure(trouble ?? 'refused', message ?? 'refused the call');
}

/** Windows keeps 2,560 bytes of UTF-16 in one entry of its Credential Manager. */
const LONGEST_ENTRY = 1_280;

/** UTF-16 units of the secret in one entry; the first has its head beside them. */
const LONGEST_PART = 1_200;

const MOST_PARTS = 999;

/** What the entry of an account begins with where the rest of the secret stands in others. */
const MARK = 'innctl-parts ';
const head = /^innctl-parts ([ab]) (\d{1,3}) ([0-9a-f]{16})\n/;

/** A secret has its further parts in one of two rows of entries; the one that follows it in the other. */
type Row = 'a' | 'b';

/**
 * A keyring for secrets of any length, over one whose entries hold 1,280 characters. A longer secret has its first part in the
 * entry of its account, with the number of parts and their checksum, and the others in `account|a2`, `account|a3` and so on:
 * no path on Windows has a `|`, so that no account is called like that.
 *
 * An interrupted write leaves the old secret or the new one: the parts of a new one are written beside those of
 * the old one, and count from the moment at which the first entry names them. Leftovers are removed by the next
 * write or removal.
 */
export function splitKeyring(entries: Keyring): Keyring {
  const readWhole = async (account: string): Promise<string | undefined> => {
    const first = await entries.read(account);
    if (first?.startsWith(MARK) !== true) return first;
    const secret = await joined(entries, account, first);
    if (secret !== undefined) return secret;
    // Another process may have written in the meantime.
    if ((await entries.read(account)) !== first) return readWhole(account);
    throw new KeyringFailure('refused', 'holds only parts of the secret of this account');
  };
  return {
    read: readWhole,
    async write(account, secret) {
      if (secret.length <= LONGEST_ENTRY && !secret.startsWith(MARK)) {
        await entries.write(account, secret);
        await sweep(entries, account, 'a', 2);
        await sweep(entries, account, 'b', 2);
        return;
      }
      const parts = partsOf(secret);
      if (parts.length > MOST_PARTS) throw new KeyringFailure('refused', 'keeps no secret of this length');
      const before = head.exec((await entries.read(account)) ?? '')?.[1];
      const [row, other]: readonly [Row, Row] = before === 'a' ? ['b', 'a'] : ['a', 'b'];
      for (const [index, part] of parts.slice(1).entries())
        await entries.write(nameOf(account, row, index + 2), part);
      await entries.write(account, `${MARK}${row} ${parts.length} ${sumOf(secret)}\n${parts[0]}`);
      await sweep(entries, account, row, parts.length + 1);
      await sweep(entries, account, other, 2);
    },
    async remove(account) {
      await entries.remove(account);
      await sweep(entries, account, 'a', 2);
      await sweep(entries, account, 'b', 2);
    },
  };
}

/** The secret of which this is the first entry; `undefined` where it is not whole. */
async function joined(entries: Keyring, account: string, first: string): Promise<string | undefined> {
  const [start = '', row, count, sum] = head.exec(first) ?? [];
  if (row !== 'a' && row !== 'b') return undefined;
  let secret = first.slice(start.length);
  for (let number = 2; number <= Number(count); number += 1)
    secret += (await entries.read(nameOf(account, row, number))) ?? '';
  return sumOf(secret) === sum ? secret : undefined;
}

/** Removes the parts of a row from this number on, the last one first: so they stay without a gap should it be interrupted. */
async function sweep(entries: Keyring, account: string, row: Row, from: number): Promise<void> {
  let end = from;
  while ((await entries.read(nameOf(account, row, end))) !== undefined) end += 1;
  for (let number = end - 1; number >= from; number -= 1) await entries.remove(nameOf(account, row, number));
}

function nameOf(account: string, row: Row, number: number): string {
  return `${account}|${row}${number}`;
}

/** No part ends in the middle of a letter, which would not survive. */
function partsOf(secret: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < secret.length || parts.length === 0; at += parts.at(-1)?.length ?? 0) {
    const part = secret.slice(at, at + LONGEST_PART);
    const isCut = at + part.length < secret.length && /[\ud800-\udbff]$/.test(part);
    parts.push(isCut ? part.slice(0, -1) : part);
  }
  return parts;
}

function sumOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
