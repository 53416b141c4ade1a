import { FileProblem } from './read.ts';

const MIB = 1_048_576;
const ENTRY = 0x02014b50;
const END_LENGTH = 22;
const ENTRY_LENGTH = 46;
const LONGEST_COMMENT = 65_535;
/** What a workbook may have unpacked: 100,000 hotels. */
const MOST_MIB = 64;

const COPY = 'Copy or save it again.';

/**
 * Refuses a ZIP archive that could fill the memory: its directory states how large each part is unpacked, and a reader that
 * unpacks no more than that needs no other limit.
 *
 * @throws {FileProblem} when it has no whole directory, or is larger.
 */
export function refuseBomb(bytes: Uint8Array, name: string): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = view.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0 || end + END_LENGTH > view.length || end < view.length - END_LENGTH - LONGEST_COMMENT)
    throw new FileProblem(name, 'is not whole: its end is missing', { hint: COPY });
  let at = view.readUInt32LE(end + 16);
  let size = 0;
  for (let left = view.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + ENTRY_LENGTH > end || view.readUInt32LE(at) !== ENTRY) throw damaged(name);
    const [packed, unpacked] = [view.readUInt32LE(at + 20), view.readUInt32LE(at + 24)];
    // Without sizes here, a reader believes those in front of the part.
    if ((packed === 0) !== (unpacked === 0)) throw damaged(name);
    size += unpacked;
    if (size > MOST_MIB * MIB)
      throw new FileProblem(name, `is larger than ${MOST_MIB} MiB when unpacked; give it in several files`);
    at += ENTRY_LENGTH + view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
  }
}

function damaged(name: string): FileProblem {
  return new FileProblem(name, 'is damaged: its directory cannot be read', { hint: COPY });
}
