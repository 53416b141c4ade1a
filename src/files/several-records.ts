import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';

/** A file holds several records where one is wanted. Exit 2; whoever knows what several are for adds the hint. */
export class SeveralRecords extends CliError {
  constructor(sentence: string) {
    super('several_records', sentence, { exitCode: ExitCode.usage });
  }
}
