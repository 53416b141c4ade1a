import { inspect } from 'node:util';
import { reasonOf } from '../fs/read.ts';
import { CliError, ClosedPipe, Concluded, ExitCode, invalidInput } from '../model/errors.ts';
import type { Context, Interruption, World } from '../model/ports.ts';
import { createRedactor } from '../model/redaction.ts';
import { quote } from '../model/text.ts';
import { colourFor } from '../print/paint.ts';
import { renderProblem } from '../print/problem.ts';
import { openInput, redactedPrompter, sinkOver } from '../print/streams.ts';
import { isJsonFormat } from '../print/styles.ts';
import { escapeCommands, neutraliseMessage, prettyJson } from '../print/text.ts';
import { widthOf } from '../print/width.ts';
import { onAbort } from '../service/budget.ts';
import { createRoot, globalsIn, inOurWords, type Root } from '../session/command-line.ts';
import { buildProgram, parseErrorOf } from './program.ts';

/**
 * One run of innctl: entry point and test seam. The only place that reports errors.
 *
 * @param typed the words after the program's name.
 * @returns the exit code; nothing is left running.
 */
export async function run(typed: readonly string[], world: World): Promise<ExitCode> {
  const redactor = createRedactor();
  const root = createRoot();
  const argv = inOurWords(typed, root);
  const plain = world.env['GITHUB_ACTIONS'] === 'true' ? escapeCommands : (text: string) => text;
  const annotations = sinkOver(world.stderr, (text) => world.stderr.write(text).catch(ignoreFailure));
  const context: Context = {
    ...world,
    argv,
    redactor,
    stdin: openInput(world),
    stdout: sinkOver(world.stdout, (text) => world.stdout.write(plain(redactor.text(text)))),
    unmasked: world.stdout,
    stderr: sinkOver(world.stderr, (text) => annotations.write(plain(redactor.text(text)))),
    annotations,
    openPager: async (command, env) => {
      const pager = await world.openPager(command, env);
      return pager && { ...pager, write: (text) => pager.write(redactor.text(text)) };
    },
    prompter: redactedPrompter(world.openPrompter, redactor.text),
    presentation: {
      json: wantsJson(argv, root, world.env['INNCTL_OUTPUT']),
      held: [],
      colour: colourFor({ flag: undefined, env: world.env, isTerminal: world.stderr.isTerminal }),
    },
  };
  try {
    await Promise.race([parse(argv, root, context), whenForced(context)]);
    await printHeldWarnings(context);
    return ExitCode.done;
  } catch (error) {
    return await report(error, context);
  }
}

/** Rejects on the second interruption; the work continues unobserved. */
function whenForced({ forced }: Context): Promise<never> {
  return new Promise((_resolve, reject) => {
    onAbort(forced, () => {
      const { exitCode }: Interruption = forced.reason;
      const sentence = 'Aborted; requests in progress may have been carried out.';
      reject(new CliError('interrupted', sentence, { exitCode }));
    });
  });
}

/** Prints the warnings that were held back. */
async function printHeldWarnings({ presentation: { held }, stderr }: Context): Promise<void> {
  if (held.length > 0)
    await stderr.write(held.map((warning) => `warning: ${neutraliseMessage(warning)}\n`).join(''));
}

async function parse(argv: readonly string[], root: Root, context: Context): Promise<void> {
  refuseInvalidUtf8(argv);
  const texts: string[] = [];
  const say = (text: string) => texts.push(text);
  const program = await buildProgram(context, say, argv, root);
  const error = await parseErrorOf(program, argv);
  if (error !== undefined) {
    const { parseFailure } = await import('./meant.ts');
    throw await parseFailure(error, argv, program, context);
  }
  if (texts.length === 0) return;
  const text = texts.join('');
  const { version, presentation, stdout } = context;
  const document = text === `${version}\n` ? { version } : { text };
  await stdout.write(presentation.json ? prettyJson(document) : text);
}

/** Node replaces invalid UTF-8 with U+FFFD, so that different words would look the same. */
function refuseInvalidUtf8(argv: readonly string[]): void {
  const details = argv.flatMap((word, index) =>
    word.includes('\ufffd')
      ? [{ field: fieldOf(argv, index), reason: `${quote(word)} has bytes that are not UTF-8` }]
      : [],
  );
  if (details.length > 0) throw invalidInput(details);
}

function fieldOf(argv: readonly string[], index: number): string {
  const flag = /^--[a-z0-9-]+/.exec(argv[index] ?? '') ?? /^--?[a-z0-9-]+$/.exec(argv[index - 1] ?? '');
  return flag?.[0] ?? `argument ${index + 1}`;
}

async function report(error: unknown, context: Context): Promise<ExitCode> {
  const { presentation } = context;
  const isConcluded = error instanceof Concluded;
  if (isConcluded || !presentation.json) await printHeldWarnings(context);
  if (isConcluded) return error.exitCode;
  const shown = systemErrorOf(error) ?? error;
  const { text, exitCode } = await renderProblem(
    shown,
    presentation,
    widthOf(context.stderr),
    context.redactor.text,
  );
  if (shown !== error && globalsIn(context.argv).has('debug'))
    await context.stderr.write(`${neutraliseMessage(inspect(error)).replaceAll(/^.*$/gm, 'debug: $&')}\n`);
  // ^C or the progress may be on this line.
  const isBelow = context.forced.aborted && context.stderr.isTerminal;
  await context.stderr.write(isBelow ? `\n${text}` : text);
  // Under --json stderr has one JSON object.
  if (context.env['GITHUB_ACTIONS'] === 'true' && !presentation.json) {
    const { workflowErrors } = await import('../print/github.ts');
    await context.annotations.write(workflowErrors(shown, context));
  }
  return exitCode;
}

/** Any error of a system call as an expected failure. */
function systemErrorOf(error: unknown): CliError | undefined {
  if (!(error instanceof Error && 'errno' in error && 'syscall' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : '';
  const sentence = `The system refused a call (${error.syscall}${path}): ${reasonOf(error)}.`;
  return new CliError('system_error', sentence, { cause: error });
}

/** A failed write to stderr must not fail the run. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof ClosedPipe || error instanceof CliError)) throw error;
}

/** Determines the format of errors before the flags are parsed. */
function wantsJson(argv: readonly string[], root: Root, fromEnvironment: string | undefined): boolean {
  const given = globalsIn(argv, root);
  const unlessGiven = given.has('query') ? 'json' : given.has('quiet') ? undefined : fromEnvironment;
  return given.has('json') || isJsonFormat(given.get('output') ?? unlessGiven);
}
