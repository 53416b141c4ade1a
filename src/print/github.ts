import { appendFileSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { CliError, type Detail } from '../cli/errors.ts';
import type { Context } from '../cli/ports.ts';
import { FileProblem, writeReasonOf } from '../fs/read.ts';
import { neutralise, neutraliseLine } from './text.ts';

type Env = Context['env'];

/** Where something is wrong. */
interface FilePlace {
  readonly file: string;
  readonly line?: string | undefined;
  readonly col?: string | undefined;
}

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
  const command = ([place, message]: Problem) => {
    const file = place.file === 'stdin' ? undefined : inWorkspace(place.file, env);
    const properties = Object.entries({ ...place, file })
      .filter(([, value]) => value !== undefined)
      .map(([name, value = '']) => `${name}=${inProperty(value)}`);
    return `::${['error', properties.join(',')].join(' ').trim()}::${escaped(message)}\n`;
  };
  return problemsOf(error, argv).map(command).join('');
}

type Problem = readonly [place: FilePlace, message: string];

function problemsOf(error: unknown, argv: readonly string[]): readonly Problem[] {
  if (!(error instanceof CliError)) return [];
  // A hint that was added makes the problem the cause.
  const problem = error.cause instanceof FileProblem ? error.cause : error;
  if (problem instanceof FileProblem) {
    const { file, line, column, message } = problem;
    return [[{ file, line: line?.toString(), col: column?.toString() }, message]];
  }
  return error.details.flatMap(({ field, reason }) => {
    const place = placeIn(field, argv);
    return place === undefined ? [] : [[place, `${field}: ${reason}`] as const];
  });
}

/** The file of a detail: one with a line or row, or one that was named on the command line, or is below a folder that was. */
function placeIn(field: string, argv: readonly string[]): FilePlace | undefined {
  const [, file, line] = /^(.+?): (?:line|row)s? (\d+)/s.exec(field) ?? [];
  if (file !== undefined) return { file, line };
  const [named = ''] = field.split(': ');
  const files = argv.map((word) => word.replace(/^--file=/, '')).filter((word) => !word.startsWith('-'));
  const isNamed = files.some((each) => each === named || named.startsWith(each.replace(/\/?$/, '/')));
  return isNamed ? { file: named } : undefined;
}

/** A path as GitHub wants it: from the checked out repository, with slashes. A path outside stays as typed. */
function inWorkspace(file: string, env: Env): string {
  const workspace = env['GITHUB_WORKSPACE'];
  if (!workspace) return file;
  const way = relative(workspace, resolve(file));
  return way.startsWith('..') ? file : way.split(sep).join('/');
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
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw new Error('it is not a file');
    appendFileSync(path, markdownOf(summary, redactor.text));
  } catch (cause) {
    await warn(`Could not write the summary of the step to ${path}: ${writeReasonOf(cause)}.`);
  }
}

function markdownOf({ title, counts, problems }: Summary, clean: (text: string) => string): string {
  // Every character that may mean something in Markdown or HTML is escaped.
  const plain = (text: string) => neutraliseLine(clean(text)).replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const names = Object.keys(counts);
  const reasons = problems.map(({ field, reason }) => row([plain(field), plain(reason)]));
  return [
    `### ${plain(title)}`,
    '',
    row(names.map(plain)),
    row(names.map(() => '--:')),
    row(Object.values(counts)),
    '',
    ...(reasons.length === 0 ? [] : [row(['Rows', 'Reason']), row(['---', '---']), ...reasons, '']),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
