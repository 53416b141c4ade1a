import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { reasonOf } from '../../fs/read.ts';
import type { Shape } from '../../print/output.ts';

/** The result of one check. */
export interface Finding extends Verdict {
  readonly check: string;
}

/** The result without the name of the check. */
export interface Verdict {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly detail: string;
  /** A command or instruction for the user. */
  readonly hint?: string | undefined;
  /** The service's id of the request that failed. */
  readonly request_id?: string | undefined;
  /** The exit code of the run if this check failed; 1 otherwise. */
  readonly exitCode?: ExitCode | undefined;
}

export const findingShape: Shape = {
  noun: ['check', 'checks'],
  // The records are findings.
  checked: (record) => {
    const { status: result, check: name, detail, hint } = record as unknown as Finding;
    return { result, name, detail, hint };
  },
  columns: [
    { field: 'check', header: 'Check' },
    {
      field: 'status',
      header: 'Status',
      tones: new Map([
        ['fail', 'error'],
        ['warn', 'warning'],
        ['skipped', 'hint'],
      ]),
    },
    { field: 'detail', header: 'Detail' },
    { field: 'hint', header: 'Hint' },
  ],
  others: ['request_id'],
};

/**
 * Makes a check. Its result is a verdict, or the detail of one that is ok; an error is a failure.
 *
 * @param exitCode of a failure; `undefined` for that of the error.
 */
export async function check(
  name: string,
  exitCode: ExitCode | undefined,
  work: () => Verdict | string | Promise<Verdict | string>,
): Promise<Finding> {
  try {
    return found(name, await work());
  } catch (cause) {
    return found(name, failed(cause, exitCode));
  }
}

/** The result of a check that cannot fail otherwise. */
export function found(name: string, result: Verdict | string): Finding {
  return { check: name, ...(typeof result === 'string' ? { status: 'ok', detail: result } : result) };
}

export function warn(detail: string, hint?: string): Verdict {
  return { status: 'warn', detail, hint };
}

/** Codes of errors that mean bad credentials, whatever their exit code. */
const ofCredentials = new Set(['not_logged_in', 'account_mismatch']);

/** A failure, from a reason or an error. @param exitCode default: that of the error. */
export function failed(cause: unknown, exitCode?: ExitCode, ownHint?: string): Verdict {
  const {
    code = '',
    hint,
    requestId,
    exitCode: own = ExitCode.failed,
  } = cause instanceof CliError ? cause : {};
  return {
    status: 'fail',
    detail: typeof cause === 'string' ? cause : reasonOf(cause),
    hint: ownHint ?? hint,
    request_id: requestId,
    exitCode: exitCode ?? (ofCredentials.has(code) ? ExitCode.notLoggedIn : own),
  };
}

/** Checks that were not possible. */
export function skipped(checks: readonly string[], detail: string): readonly Finding[] {
  return checks.map((name) => ({ check: name, status: 'skipped', detail }));
}

/** In order of precedence: an earlier failure may cause later ones. */
const precedence: readonly ExitCode[] = [ExitCode.usage, ExitCode.notLoggedIn, ExitCode.unavailable];

/** The exit code of the run: that of the failure with the highest precedence, 0 if no check failed. */
export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  const codes = findings.filter(({ status }) => status === 'fail').map(({ exitCode }) => exitCode);
  if (codes.length === 0) return ExitCode.done;
  return precedence.find((code) => codes.includes(code)) ?? ExitCode.failed;
}
