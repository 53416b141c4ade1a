import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { messageOf } from '../cli/errors.ts';
import { type Keyring, KeyringFailure, type KeyringTrouble } from '../cli/ports.ts';
import { parsedJson } from '../model/json-text.ts';
import { isRecord } from '../model/records.ts';
import { keyringCall } from './keyring-call.ts';

/** The name under which the platform's own tools show our entries. */
const SERVICE = 'innctl';

/** What a call needs of this process: the executable, and the environment that leads to the keyring. */
export interface Surroundings {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The keyring of this system. Loads nothing until it is used. */
export function systemKeyring(surroundings: Surroundings): Keyring {
  const keyring: Keyring = {
    read: async (account) => (await ask(surroundings, 'read', account)).secret,
    write: async (account, secret) => {
      // A keyring changes text that is not valid Unicode.
      if (!secret.isWellFormed()) throw new KeyringFailure('refused', 'stores valid Unicode only');
      await ask(surroundings, 'write', account, secret);
    },
    remove: async (account) => {
      await ask(surroundings, 'remove', account);
    },
  };
  return surroundings.platform === 'win32' ? splitKeyring(keyring) : keyring;
}

async function ask(
  surroundings: Surroundings,
  verb: 'read' | 'write' | 'remove',
  account: string,
  secret?: string,
): Promise<Answer> {
  const library = libraryPath();
  const child = start(surroundings, dirname(library));
  const call = { verb, account, secret, library, service: SERVICE, limitMs: LIMIT_MS };
  const answer = await answerOf(child, call);
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
    'cannot be reached: the optional package @napi-rs/keyring is not installed, or does not support this system',
  );
}

/** The variables by which D-Bus, macOS and Windows find the keyring, and Node its libraries. None of them is secret. */
const keptVariables =
  /^(?:DBUS_\w+|XDG_\w+|HOME|USER|LOGNAME|PATH|LANG|LC_\w+|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_\w+|__CF_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERPROFILE|USERNAME|USERDOMAIN|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/i;

const LIMIT_MS = 3_000;

/** The message for a timeout. */
const DID_NOT_ANSWER = `did not answer within ${LIMIT_MS / 1_000} s`;

/** Characters; longer than any secret. */
const MAX_ANSWER = 4_194_304;

/** The answer of a call: the secret, if there is one; the library's error message; or that the library does not load. */
type Answer = NonNullable<ReturnType<typeof answerIn>>;

/** Makes one call in the process. @throws {KeyringFailure} when there is no answer within 3 s. */
function answerOf(child: Child, call: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let said = '';
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
      // Searches only the new text, so that an endless answer costs linear time.
      const isWhole = text.includes('\n');
      if (!isWhole && said.length <= MAX_ANSWER) return;
      const answer = isWhole ? answerIn(said.slice(0, said.indexOf('\n'))) : undefined;
      if (answer === undefined) return fail(new KeyringFailure('refused', 'did not answer with a secret'));
      end();
      resolve(answer);
    });
    child.stdin.on('error', () => {}).end(JSON.stringify(call));
    child.once('error', (cause) => fail(unreachable(cause)));
    child.once('close', (exitCode, signal) =>
      fail(unreachable(new Error(`the program that asks it ended with ${signal ?? exitCode}`))),
    );
  });
}

type Child = ReturnType<typeof start>;

/** `detached` protects the process from ^C, so that a write is finished. */
function start({ execPath, env, platform }: Surroundings, cwd: string) {
  try {
    return spawn(execPath, ['-e', keyringCall], {
      cwd,
      env: Object.fromEntries(Object.entries(env).filter(([name]) => keptVariables.test(name))),
      detached: platform !== 'win32',
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

/** Parses an answer; `undefined` if it is invalid. */
function answerIn(line: string) {
  const answer = parsedJson(line);
  const { secret, error, isUnloadable } = isRecord(answer) ? answer : {};
  if (isUnloadable === true) return { isUnloadable };
  if (typeof error === 'string') return { error };
  if (typeof secret === 'string') return { secret };
  return secret === null ? {} : undefined;
}

/**
 * Messages of the library, most of them from D-Bus, and our failure for each; the first match counts. All were observed on
 * Linux (test/real/keyring.test.ts), except Apple's text for a locked keychain.
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

/** Translates a message of the library, which may quote secrets. */
function failureIn(said: string): KeyringFailure {
  const [, trouble, message] = failures.find(([pattern]) => pattern.test(said)) ?? [];
  return new KeyringFailure(trouble ?? 'refused', message ?? 'refused the call');
}

/** Windows keeps 2,560 bytes of UTF-16 in one entry of its Credential Manager. */
const MAX_ENTRY = 1_280;

/** UTF-16 units of the secret in one entry; leaves room for the head of the first. */
const MAX_PART = 1_200;

const MAX_PARTS = 999;

/** The start of an entry whose secret continues in other entries. */
const MARK = 'innctl-parts ';
const head = /^innctl-parts ([ab]) (\d{1,3}) ([0-9a-f]{16})\n/;

/** The further parts of a secret are in row a or b; each new secret uses the other row. */
type Row = 'a' | 'b';

/**
 * A keyring for secrets of any length, over one whose entries hold 1,280 characters. A longer secret has its first part in the
 * entry of its account, with the number of parts and a checksum, and the others in `account|a2`, `account|a3` and so on: no
 * account contains `|`, which is invalid in Windows paths.
 *
 * Writes are atomic: the parts of a new secret are written to the other row, and become valid when the first entry names
 * them. The next write or removal deletes leftovers.
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
      if (secret.length <= MAX_ENTRY && !secret.startsWith(MARK)) {
        await entries.write(account, secret);
        await sweep(entries, account, 'a', 2);
        await sweep(entries, account, 'b', 2);
        return;
      }
      const parts = partsOf(secret);
      if (parts.length > MAX_PARTS) throw new KeyringFailure('refused', 'keeps no secret of this length');
      const before = head.exec((await entries.read(account)) ?? '')?.[1];
      const [row, other]: readonly [Row, Row] = before === 'a' ? ['b', 'a'] : ['a', 'b'];
      for (const [index, part] of parts.slice(1).entries())
        await entries.write(nameOf(account, row, index + 2), part);
      await entries.write(account, `${MARK}${row} ${parts.length} ${checksum(secret)}\n${parts[0]}`);
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

/** Joins the secret that starts with this entry; `undefined` if parts are missing. */
async function joined(entries: Keyring, account: string, first: string): Promise<string | undefined> {
  const [start = '', row, count, sum] = head.exec(first) ?? [];
  if (row !== 'a' && row !== 'b') return undefined;
  let secret = first.slice(start.length);
  for (let number = 2; number <= Number(count); number += 1)
    secret += (await entries.read(nameOf(account, row, number))) ?? '';
  return checksum(secret) === sum ? secret : undefined;
}

/** Removes the parts of a row from this number on, the last one first, so that an interruption leaves no gap. */
async function sweep(entries: Keyring, account: string, row: Row, from: number): Promise<void> {
  let end = from;
  while ((await entries.read(nameOf(account, row, end))) !== undefined) end += 1;
  for (let number = end - 1; number >= from; number -= 1) await entries.remove(nameOf(account, row, number));
}

function nameOf(account: string, row: Row, number: number): string {
  return `${account}|${row}${number}`;
}

/** Splits a secret without splitting a surrogate pair. */
function partsOf(secret: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < secret.length || parts.length === 0; at += parts.at(-1)?.length ?? 0) {
    const part = secret.slice(at, at + MAX_PART);
    const isCut = at + part.length < secret.length && /[\ud800-\udbff]$/.test(part);
    parts.push(isCut ? part.slice(0, -1) : part);
  }
  return parts;
}

function checksum(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
