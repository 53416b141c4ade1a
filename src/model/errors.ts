import { constants } from 'node:os';

/** The exit codes that scripts may rely on, and what each means for the caller. */
const table = {
  done: [0, 'done'],
  failed: [1, 'failed (an error of the service or of innctl)'],
  usage: [2, 'invalid usage or input; nothing was sent'],
  notFound: [3, 'not found'],
  notLoggedIn: [4, 'not logged in'],
  forbidden: [5, 'forbidden'],
  refused: [6, 'rejected or in conflict with existing data (409, 412, 415, 422)'],
  unavailable: [7, 'unavailable or rate limited after retries; try again later'],
  unknown: [8, 'outcome unknown; run the command in the hint to find out'],
  partlyDone: [9, 'partially done'],
  pending: [10, 'changes pending (with --exit-code), or findings'],
  blocked: [11, 'blocked (not confirmed, or forbidden by a guard)'],
  ambiguous: [12, 'ambiguous reference'],
  interrupted: [130, 'interrupted (SIGINT)'],
  terminated: [143, 'terminated (SIGTERM)'],
} as const;

export type ExitCodeName = keyof typeof table;
export type ExitCode = (typeof table)[ExitCodeName][0];

/** The exit codes by name. */
// Each name keeps the code beside it.
export const ExitCode = Object.fromEntries(Object.entries(table).map(([name, [code]]) => [name, code])) as {
  readonly [Name in ExitCodeName]: (typeof table)[Name][0];
};

/** The meaning of each exit code for the caller. `help exit-codes` prints this table. */
export const exitCodeMeanings: Readonly<Record<number, string>> = Object.fromEntries(Object.values(table));

/** A problem with one field: a flag, a field of a file, or a field the service names. */
export interface Detail {
  readonly field: string;
  readonly reason: string;
}

export interface CliErrorOptions {
  /** A command or instruction for the user. */
  readonly hint?: string | undefined;
  readonly exitCode?: ExitCode | undefined;
  readonly cause?: unknown;
  /** HTTP status of the response, if any. */
  readonly status?: number | undefined;
  /** The service's id of the request, for its support. */
  readonly requestId?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
}

/**
 * An expected failure: `code` for programs, the message for people, `hint` for what to do next. Shown without a stack.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: readonly Detail[];

  constructor(code: string, sentence: string, options: CliErrorOptions = {}) {
    super(sentence, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? ExitCode.failed;
    this.status = options.status;
    const { cause } = options;
    this.requestId = options.requestId ?? (cause instanceof CliError ? cause.requestId : undefined);
    this.details = options.details ?? [];
  }

  /** The same failure with another message or other facts. */
  with({ message = this.message, ...facts }: CliErrorOptions & { readonly message?: string }): CliError {
    return new CliError(this.code, message, { ...this.facts(), ...facts });
  }

  /** The same failure with a hint. */
  withHint(hint: string): CliError {
    return this.with({ hint });
  }

  protected facts(): CliErrorOptions {
    const { exitCode, hint, status, requestId, details } = this;
    return { exitCode, hint, status, requestId, details, cause: this };
  }
}

/** The command line cannot be understood; nothing was sent. Exit 2. */
export function usageError(sentence: string, hint?: string): CliError {
  return new CliError('usage', sentence, { hint, exitCode: ExitCode.usage });
}

/** A problem as details; empty without a reason. */
export function detailsFor(field: string, reason: string | undefined): readonly Detail[] {
  return reason === undefined ? [] : [{ field, reason }];
}

/** Further problems are only counted. */
export const MAX_DETAILS = 100;

/**
 * Values that cannot be sent, all of them at once. Exit 2.
 *
 * @param details one entry per problem; `field` is the flag or the path in the file.
 * @param count of all problems, of which the details may be the first.
 * @param what they are.
 */
export function invalidInput(
  details: readonly Detail[],
  hint?: string,
  count = details.length,
  what = 'values are not valid',
): CliError {
  const shown = details.slice(0, MAX_DETAILS);
  const lines = shown.map(({ field, reason }) => `${field}: ${reason}`);
  const rest = count > shown.length ? [`and ${(count - shown.length).toLocaleString('en')} more`] : [];
  const listed = [...lines, ...rest].map((line) => `  ${line}`).join('\n');
  const sentence = count === 1 ? lines.join('') : `${count.toLocaleString('en')} ${what}:\n${listed}`;
  return new CliError('invalid_input', sentence, { hint, exitCode: ExitCode.usage, details: shown });
}

/** Refuses values that cannot be sent. @throws {CliError} as `invalidInput`, if there are any. */
export function refuseInvalid(details: readonly Detail[], hint?: string): void {
  if (details.length > 0) throw invalidInput(details, hint);
}

/**
 * A write that may have been carried out, because no response says so. Exit 8, or 130 and 143 if interrupted. The
 * caller catches it to settle the outcome by reading, or lets it propagate.
 */
export class OutcomeUnknown extends CliError {
  constructor(sentence: string, options: CliErrorOptions = {}) {
    super('outcome_unknown', sentence, { ...options, exitCode: options.exitCode ?? ExitCode.unknown });
  }

  override with({ message = this.message, ...facts }: Parameters<CliError['with']>[0]): OutcomeUnknown {
    return new OutcomeUnknown(message, { ...this.facts(), ...facts });
  }

  /**
   * The same failure with the command line that settles it.
   *
   * @param line only the command line: programs run it.
   * @param besides another sentence for the message.
   */
  settledBy(line: string, besides?: string): OutcomeUnknown {
    const message = besides === undefined ? this.message : `${this.message} ${besides}`;
    return this.with({ hint: line, message });
  }
}

/** The command has finished and printed its result; only the exit code remains to be set. */
export class Concluded extends Error {
  override readonly name = 'Concluded';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`concluded with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The reader of stdout or stderr is gone (`| head`). Exit 0 without a message. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** The `code` of a system, TLS or library error, such as `EACCES`; `undefined` for anything else. */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return undefined;
  // Node knows the number of this error but not its name.
  return 'errno' in cause && cause.errno === -constants.errno.EDQUOT ? 'EDQUOT' : cause.code;
}

/** The message of any thrown value. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** All that an error says, on one line: the fields that its sentence does not name, and the service's number for it. */
export function errorText(error: CliError): string {
  const { requestId } = error;
  return `${reasonText(error)}${requestId === undefined ? '' : ` (request id ${requestId})`}`;
}

/** The same without the number, which is another one for each request. */
export function reasonText({ message, details }: CliError): string {
  const fields = details
    .map(({ field, reason }) => `${field}: ${reason}`)
    .filter((detail) => !message.includes(detail));
  return [message, ...fields].join(' ');
}
