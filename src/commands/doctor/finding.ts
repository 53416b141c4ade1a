import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { reasonOf } from '../../fs/read.ts';
import type { Shape } from '../../out/output.ts';

/** The result of one check. */
export interface Finding {
  readonly check: string;
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

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}

export function warn(check: string, detail: string, hint?: string): Finding {
  return { check, status: 'warn', detail, hint };
}

/** A check that was not possible. */
export function skipped(check: string, detail: string): Finding {
  return { check, status: 'skipped', detail };
}

export function skippedAll(checks: readonly string[], detail: string): readonly Finding[] {
  return checks.map((check) => skipped(check, detail));
}

/** A check that failed with an error. */
export function failed(check: string, cause: unknown, exitCode: ExitCode = ExitCode.usage): Finding {
  const { hint, requestId } = cause instanceof CliError ? cause : {};
  return { check, status: 'fail', detail: reasonOf(cause), hint, request_id: requestId, exitCode };
}

/** The finding of a check, or that it failed. */
export async function tried(
  check: string,
  examine: () => Finding | Promise<Finding>,
  exitCode: ExitCode = ExitCode.usage,
): Promise<Finding> {
  try {
    return await examine();
  } catch (cause) {
    return failed(check, cause, exitCode);
  }
}

/** In order of precedence: an earlier failure may cause later ones. */
const precedence: readonly ExitCode[] = [ExitCode.usage, ExitCode.notLoggedIn, ExitCode.unavailable];

/** The exit code of the run: that of the failure with the highest precedence, 0 if no check failed. */
export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  const codes = findings.filter(({ status }) => status === 'fail').map(({ exitCode }) => exitCode);
  if (codes.length === 0) return ExitCode.done;
  return precedence.find((code) => codes.includes(code)) ?? ExitCode.failed;
}
