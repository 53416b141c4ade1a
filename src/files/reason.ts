import { codeOf, messageOf } from '../error-code.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENXIO: 'it is a socket, or no device is behind it',
  EIO: 'what is behind it fails',
  EMFILE: 'too many files are open; ulimit -n raises the limit',
  ENFILE: 'too many files are open on this machine',
  EAGAIN: 'it has nothing to read yet',
  EACCES: 'permission is missing',
  EPERM: 'permission is missing',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EEXIST: 'what should be its folder is something else',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its path is a circle of links',
  ENAMETOOLONG: 'its path is too long',
};

/** Why the system refused, as the end of a sentence: `the disk is full (ENOSPC)`. */
export function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  const reason = code === undefined ? undefined : reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return messageOf(cause);
}
