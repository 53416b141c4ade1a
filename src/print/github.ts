import { appendFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { FileProblem, writeReasonOf } from '../fs/read.ts';
import { CliError, type Detail } from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { neutralise, neutraliseLine } from './text.ts';

/**
 * The problems of files in an error as workflow commands, which GitHub shows beside the lines:
 * `::error file=hotels.csv,line=3::hotels.csv: row 3: tax_id: is missing`. A row of a table is taken as a line.
 *
 * @returns the lines with their newlines; empty if nothing is about a file.
 */
export function workflowErrors(
  error: unknown,
  { argv, env, redactor }: Pick<Context, 'argv' | 'env' | 'redactor'>,
): string {
  const escaped = (text: string) =>
    neutralise(redactor.text(text))
      .replaceAll('##[', '\\u0023#[')
      .replaceAll('%', '%25')
      .replaceAll('\n', '%0A');
  const inProperty = (text: string) => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return problemsOf(error, argv)
    .map(({ file, line, col, message }) => {
      const place = { file: file === 'stdin' ? undefined : inWorkspace(file, env), line, col };
      const properties = Object.entries(place).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${inProperty(String(value))}`],
      );
      return `::${`error ${properties.join(',')}`.trim()}::${escaped(message)}\n`;
    })
    .join('');
}

/** What is wrong in files. */
function problemsOf(error: unknown, argv: readonly string[]) {
  if (!(error instanceof CliError)) return [];
  // A hint that was added makes the problem the cause.
  const problem = error.cause instanceof FileProblem ? error.cause : error;
  if (problem instanceof FileProblem) {
    const { file, line, column: col, message } = problem;
    return [{ file, line, col, message }];
  }
  return error.details.flatMap(({ field, reason }) => {
    const [, file = namedIn(field, argv), line] = /^(.+?): (?:line|row)s? (\d+)/s.exec(field) ?? [];
    return file === undefined ? [] : [{ file, line, col: undefined, message: `${field}: ${reason}` }];
  });
}

/** The file of a detail without a line: one that was named on the command line, or is below a folder that was. */
function namedIn(field: string, argv: readonly string[]): string | undefined {
  const [file = ''] = field.split(': ');
  const files = argv.map((word) => word.replace(/^--file=/, '')).filter((word) => !word.startsWith('-'));
  return files.find((each) => each === file || file.startsWith(each.replace(/\/?$/, '/'))) && file;
}

/** A path as GitHub wants it: from the checked out repository, with slashes. A path outside stays as typed. */
function inWorkspace(file: string, { GITHUB_WORKSPACE: workspace }: Context['env']): string {
  const way = relative(workspace || '/', resolve(file));
  return !workspace || way.startsWith('..') ? file : way.split(sep).join('/');
}

/** What a run or a plan adds to the summary of a step. */
interface Summary {
  readonly title: string;
  /** One row: what is counted, and how many there are. */
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly Detail[];
}

/** Appends to GITHUB_STEP_SUMMARY in GitHub Actions. If that fails, it only warns. */
export async function writeStepSummary(
  summary: Summary,
  { env, redactor }: Pick<Context, 'env' | 'redactor'>,
  warn: (sentence: string) => Promise<void>,
): Promise<void> {
  const path = env['GITHUB_STEP_SUMMARY'];
  if (env['GITHUB_ACTIONS'] !== 'true' || !path) return;
  try {
    appendFileSync(path, markdownOf(summary, redactor.text));
  } catch (cause) {
    await warn(`Could not write the summary of the step to ${path}: ${writeReasonOf(cause)}.`);
  }
}

function markdownOf({ title, counts, problems }: Summary, clean: (text: string) => string): string {
  // Every character that may mean something in Markdown or HTML is escaped.
  const plain = (text: string) => neutraliseLine(clean(text)).replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`;
  const names = Object.keys(counts);
  const sums = [row(names.map(plain)), row(names.map(() => '--:')), row(Object.values(counts)), '\n'];
  const reasons = problems.map(({ field, reason }) => row([plain(field), plain(reason)]));
  const list = reasons.length === 0 ? [] : [row(['Rows', 'Reason']), row(['---', '---']), ...reasons, '\n'];
  return [`### ${plain(title)}\n\n`, ...sums, ...list].join('');
}
