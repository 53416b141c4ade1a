import { CliError } from '../../errors.ts';
import { reasonOf } from '../../files/reason.ts';
import { isSystemError, statePath } from './folder.ts';

const noRoom: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What the operating system said about a folder's state, as an expected failure; other errors as they are. */
export function troubleWith(folder: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const path = statePath(folder);
  if (noRoom.has(error.code)) {
    return new CliError(
      'sandbox_full',
      `There is no room to write the sandbox's state ${path}: ${error.code}.`,
      {
        hint: 'Make room on the disk, or empty the sandbox: innctl sandbox reset',
        cause: error,
      },
    );
  }
  return new CliError('sandbox_unusable', `Could not use the sandbox's state ${path}: ${reasonOf(error)}.`, {
    hint: 'Set INNCTL_CONFIG_DIR to a folder that can be written.',
    cause: error,
  });
}
