import { createHash } from 'node:crypto';

/** File systems take 255 bytes, and an ending comes behind. */
const LONGEST = 200;

/** Names that Windows keeps for devices, whatever ending they have. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * A name that every file system takes, made of any text: what is no ASCII letter, digit or one of . _ - @ + is written
 * in percent encoding, and so is the first character of a name that would be hidden or reserved.
 */
export function safeName(text: string): string {
  const safe = text.replaceAll(/[^\w.@+-]/gu, percent).replace(/^\./, '%2E');
  const name = reserved.test(safe) ? `${percent(safe.charAt(0))}${safe.slice(1)}` : safe;
  if (name.length <= LONGEST) return name === '' ? '%' : name;
  return `${name.slice(0, LONGEST)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** Gives names one after the other; what falls together on a disk that does not tell capitals gets a number. */
export function createNames(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const name = safeName(text);
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}-${number}`;
    taken.add(free.toLowerCase());
    return free;
  };
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
