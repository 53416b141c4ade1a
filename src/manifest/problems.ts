import { CliError, type Detail } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { FileProblem } from '../files/file-problem.ts';
import { type Place, placeText } from './entry.ts';

/** More are counted, and not told. */
const MOST_TOLD = 100;

/** What is wrong at a place: with one field of what stands there, or with the whole. */
export interface PlaceProblem {
  readonly field?: string | undefined;
  readonly reason: string;
}

/** What is wrong with the files of a run, gathered until all of them are read. */
export interface Problems {
  add(field: string, reason: string, hint?: string): void;
  addAt(place: Place, problem: PlaceProblem, hint?: string): void;
  /** Takes the details of a failure, or its sentence where it has none; `name` is the file it speaks of. */
  addError(name: string, error: CliError): void;
  /** @throws {CliError} `invalid_input`, exit 2, with all that was added. */
  throwIfAny(): void;
}

/** Nothing is wrong yet. */
export function createProblems(): Problems {
  const told: Detail[] = [];
  let count = 0;
  let advice: string | undefined;
  const add = (field: string, reason: string, hint?: string) => {
    count += 1;
    advice ??= hint;
    if (told.length < MOST_TOLD) told.push({ field, reason });
  };
  return {
    add,
    addAt: (place, { field, reason }, hint) =>
      add(field === undefined ? placeText(place) : `${placeText(place)}: ${field}`, reason, hint),
    addError: (name, error) => {
      for (const { field, reason } of detailsOf(name, error)) add(field, reason, error.hint);
    },
    throwIfAny: () => {
      if (count === 0) return;
      throw new CliError('invalid_input', sentenceOf(told, count), {
        hint: advice,
        exitCode: ExitCode.usage,
        details: told,
      });
    },
  };
}

function detailsOf(name: string, error: CliError): readonly Detail[] {
  if (error instanceof FileProblem) {
    const { file, line, reason } = error;
    return [{ field: line === undefined ? file : `${file}: line ${line}`, reason }];
  }
  return error.details.length > 0 ? error.details : [{ field: name, reason: error.message }];
}

function sentenceOf(told: readonly Detail[], count: number): string {
  const lines = told.map(({ field, reason }) => `${field}: ${reason}`);
  const [only] = lines;
  if (count === 1 && only !== undefined) return only;
  const rest = count > told.length ? [`and ${(count - told.length).toLocaleString('en')} more`] : [];
  const listed = [...lines, ...rest].map((line) => `  ${line}`);
  return `${count.toLocaleString('en')} problems in the files:\n${listed.join('\n')}`;
}
