import { lstatSync, type Stats } from 'node:fs';
import { codeOf } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { credentialsPath, lookUpCredential } from '../../config/credentials.ts';
import { configPath, readConfig } from '../../config/file.ts';
import { octal } from '../../config/stored-file.ts';
import { staleLocksOf } from '../../fs/lock.ts';
import { reasonOf } from '../../fs/read.ts';
import { draftsOf } from '../../fs/replace.ts';
import { shellLine } from '../../out/text.ts';
import { type Finding, failed, skipped } from './doctor.ts';

/** Writing takes milliseconds: what is older was left by a writer that was killed. */
const DEAD_MS = 60_000;

/** The folder of settings, its files, and what dead processes left there. Nothing is changed. */
export function examineFiles(folder: string, own: number | undefined): readonly Finding[] {
  const config = configPath(folder);
  const credentials = credentialsPath(folder);
  return [
    examineFolder(folder, own),
    examineFile('config.json', config, { isSecret: false, own, read: () => readConfig(folder) }),
    examineFile('credentials.json', credentials, {
      isSecret: true,
      own,
      read: () => lookUpCredential(folder, ''),
    }),
    examineLeftovers([config, credentials]),
  ];
}

function examineFolder(path: string, own: number | undefined): Finding {
  const check = 'config folder';
  const found = lookAt(path);
  if (found instanceof Error) return failed(check, found, ExitCode.usage);
  if (found === undefined) return { check, status: 'ok', detail: `${path} is not there yet` };
  if (found.isSymbolicLink()) return linked(check, path);
  if (!found.isDirectory())
    return { check, status: 'fail', detail: `${path} is no folder`, exitCode: ExitCode.usage };
  return protectionOf(check, path, { ...found, own }, 'warn') ?? { check, status: 'ok', detail: path };
}

interface Kind {
  /** Who runs this; `undefined` on Windows. */
  readonly own: number | undefined;
  /** Others may not read it; otherwise they should not. */
  readonly isSecret: boolean;
  /** @throws {CliError} when it is corrupt. */
  readonly read: () => unknown;
}

function examineFile(check: string, path: string, { isSecret, own, read }: Kind): Finding {
  const found = lookAt(path);
  if (found instanceof Error) return failed(check, found, ExitCode.usage);
  if (found === undefined) return { check, status: 'ok', detail: `${path} is not there yet` };
  try {
    read();
  } catch (cause) {
    return failed(check, cause, ExitCode.usage);
  }
  if (found.isSymbolicLink()) return linked(check, path);
  return (
    protectionOf(check, path, { ...found, own }, isSecret ? 'fail' : 'warn') ?? {
      check,
      status: 'ok',
      detail: path,
    }
  );
}

function lookAt(path: string): Stats | Error | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    return new Error(`${path} cannot be looked at: ${reasonOf(cause)}`, { cause });
  }
}

function linked(check: string, path: string): Finding {
  return {
    check,
    status: 'warn',
    detail: `${path} is a symbolic link; innctl does not write through it`,
    hint: 'Put the real thing there, or set INNCTL_CONFIG_DIR to where it is',
  };
}

/** Modes mean nothing on Windows, where the folder of the profile protects what is in it. */
function protectionOf(
  check: string,
  path: string,
  { mode, uid, own }: Pick<Stats, 'mode' | 'uid'> & { readonly own: number | undefined },
  status: 'warn' | 'fail',
): Finding | undefined {
  if (own === undefined) return undefined;
  if (own !== uid) {
    const detail = `${path} belongs to somebody else (user ${uid}, and this is ${own})`;
    return { check, status, detail, exitCode: ExitCode.usage };
  }
  if ((mode & 0o077) === 0) return undefined;
  const detail = `${path} is open to others (mode ${octal(mode)})`;
  return { check, status, detail, hint: shellLine(['chmod', 'go-rwx', path]), exitCode: ExitCode.usage };
}

function examineLeftovers(files: readonly string[]): Finding {
  const check = 'leftovers';
  try {
    const left = files.flatMap((path) => [...draftsOf(path, DEAD_MS), ...staleLocksOf(path)]);
    if (left.length === 0) return { check, status: 'ok', detail: 'none' };
    const detail = `an innctl that was killed left ${left.join(' and ')}; the next change removes it`;
    return { check, status: 'warn', detail };
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return { check, status: 'ok', detail: 'none' };
    return skipped(check, `the folder cannot be read: ${reasonOf(cause)}`);
  }
}
