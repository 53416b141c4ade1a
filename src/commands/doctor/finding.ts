import { CliError, type CliErrorOptions } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { reasonOf } from '../../files/reason.ts';
import type { Shape } from '../../render/output.ts';

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly detail: string;
  /** Something to type next. */
  readonly hint?: string | undefined;
  /** The service's own number for the request that failed. */
  readonly request_id?: string | undefined;
  /** What a run ends with where this failed; 1 otherwise. */
  readonly exitCode?: ExitCode | undefined;
}

/** How findings are listed. */
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

/** The gravest first: what is wrong there may be the reason of everything behind it. */
const gravest: readonly ExitCode[] = [ExitCode.usage, ExitCode.notLoggedIn, ExitCode.unavailable];

/** How the run ends: settings before credentials before hosts before anything else; 0 where nothing failed. */
export function verdictOf(findings: readonly Finding[]): ExitCode {
  const codes = findings.flatMap(({ status, exitCode = ExitCode.failed }) =>
    status === 'fail' ? [exitCode] : [],
  );
  if (codes.length === 0) return ExitCode.done;
  return gravest.find((code) => codes.includes(code)) ?? ExitCode.failed;
}

/** A check that failed with an error. */
export function failed(check: string, cause: unknown, exitCode: ExitCode): Finding {
  const { hint, requestId }: CliErrorOptions = cause instanceof CliError ? cause : {};
  return { check, status: 'fail', detail: reasonOf(cause), hint, request_id: requestId, exitCode };
}

/** A check that could not be made. */
export function skipped(check: string, detail: string): Finding {
  return { check, status: 'skipped', detail };
}
