import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';

interface FileProblemOptions {
  readonly hint?: string | undefined;
  /** Where in the file, from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly code?: string | undefined;
  /** Where it is not the file and the reason. */
  readonly sentence?: string | undefined;
  readonly cause?: unknown;
}

/** What is wrong with a file as a whole. Exit 2; whoever tells of many files says file and reason apart. */
export class FileProblem extends CliError {
  readonly file: string;
  /** As it is said of the file: `is empty`. */
  readonly reason: string;
  readonly line: number | undefined;

  constructor(
    file: string,
    reason: string,
    { hint, line, column, code = 'usage', sentence, cause }: FileProblemOptions = {},
  ) {
    const place =
      line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`;
    super(code, sentence ?? `${file} ${reason}${place}.`, { hint, cause, exitCode: ExitCode.usage });
    this.file = file;
    this.reason = reason;
    this.line = line;
  }
}
