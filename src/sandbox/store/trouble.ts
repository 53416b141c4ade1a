import { codeOf } from '../../error-code.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { reasonOf } from '../../files/reason.ts';
import { isSystemError, statePath } from './folder.ts';

/** The system says that it is somebody else's, or that something else is there. */
const notOurs: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EPERM',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENOTDIR',
  'ENXIO',
]);
const noRoom: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What the operating system said about a folder's state, as an expected failure; other errors as they are. */
export function troubleWith(folder: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const path = statePath(folder);
  const code = codeOf(error);
  if (noRoom.has(code)) {
    return new CliError('sandbox_full', `There is no room to write the sandbox's state ${path}: ${code}.`, {
      hint: 'Make room on the disk, or empty the sandbox: innctl sandbox reset',
      cause: error,
    });
  }
  const kind = code === 'EROFS' ? 'sandbox_read_only' : 'sandbox_unusable';
  return new CliError(kind, `Could not use the sandbox's state ${path}: ${reasonOf(error)}.`, {
    exitCode: notOurs.has(code) ? ExitCode.usage : ExitCode.failed,
    hint: 'Set INNCTL_CONFIG_DIR to a folder that can be written.',
    cause: error,
  });
}
