import { createHash } from 'node:crypto';
import { type Keyring, KeyringFailure } from '../cli/ports.ts';

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
