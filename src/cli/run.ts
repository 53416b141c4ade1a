import { inspect } from 'node:util';
import { CommanderError } from '@commander-js/extra-typings';
import { reasonOf } from '../fs/read.ts';
import { quote } from '../model/text.ts';
import { toJson } from '../out/json.ts';
import { colourFor } from '../out/paint.ts';
import { renderProblem } from '../out/problem.ts';
import { redactedPrompter } from '../out/redacted-prompter.ts';
import { createRedactor } from '../out/redaction.ts';
import { limitedSource } from '../out/streams.ts';
import { isJsonFormat } from '../out/styles.ts';
import { neutraliseMessage } from '../out/text.ts';
import { CliError, ClosedPipe, Concluded, invalidInput } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import { createRoot, globalsIn, inOurWords, type Root } from './flags.ts';
import { parseFailure } from './parse-failure.ts';
import type { Context, Interruption, Sink, World } from './ports.ts';
import { buildBranch, buildProgram } from './program.ts';

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
  const context: Context = {
    ...world,
    argv,
    redactor,
    stdin: limitedSource(world.stdin, world),
    stdout: redacting(world.stdout, redactor.data),
    unmasked: world.stdout,
    stderr: lenient(redacting(world.stderr, redactor.text)),
    prompter: redactedPrompter(world.prompter, redactor.text),
    presentation: {
      json: wantsJson(argv, root, world.env['INNCTL_OUTPUT']),
      held: [],
      colour: colourFor({ flag: undefined, env: world.env, isTerminal: world.stderr.isTerminal }),
    },
  };
  try {
    const exitCode = await Promise.race([conclude(parse(argv, root, context)), whenForced(context)]);
    await tellHeld(context);
    return exitCode;
  } catch (error) {
    return await report(error, context);
  }
}

/** @throws {CliError} `interrupted`, once the person or the system asks a second time; whatever is under way goes on. */
function whenForced({ forced }: Pick<World, 'forced'>): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(endedAtOnce(forced.reason));
    if (forced.aborted) end();
    else forced.addEventListener('abort', end, { once: true });
  });
}

function endedAtOnce({ exitCode }: Interruption): CliError {
  const sentence = 'Ended at once; what was under way may have been carried out.';
  return new CliError('interrupted', sentence, { exitCode });
}

/** The warnings that were not told yet. */
async function tellHeld({ presentation: { held }, stderr }: Context): Promise<void> {
  if (held.length > 0)
    await stderr.write(held.map((warning) => `warning: ${neutraliseMessage(warning)}\n`).join(''));
}

/** The exit code of a run that did not fail. */
async function conclude(work: Promise<void>): Promise<ExitCode> {
  try {
    await work;
    return ExitCode.done;
  } catch (error) {
    if (error instanceof Concluded) return error.exitCode;
    throw error;
  }
}

async function parse(argv: readonly string[], root: Root, context: Context): Promise<void> {
  refuseSpoilt(argv);
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const branch = await buildBranch(argv, root, context, say);
  if (branch === undefined || (await complaintOf(branch, argv)) !== undefined) {
    // What was meant instead may stand anywhere in the tree.
    const program = await buildProgram(context, say);
    const complaint = await complaintOf(program, argv);
    if (complaint !== undefined) throw parseFailure(complaint, argv, program);
  }
  if (said.length === 0) return;
  const text = said.join('');
  await context.stdout.write(context.presentation.json ? `${toJson({ text }, { pretty: true })}\n` : text);
}

/** Parses the command line and carries out what it asks for. @returns why commander could not read it. */
async function complaintOf(program: Root, argv: readonly string[]): Promise<CommanderError | undefined> {
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `commander.help` is a group without a verb: its help is the answer, not a mistake.
    return error.exitCode === 0 || error.code === 'commander.help' ? undefined : error;
  }
}

/** Node puts U+FFFD for every byte that is not UTF-8: two words that differ on the command line would be one here. */
function refuseSpoilt(argv: readonly string[]): void {
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
  const { json, colour, held } = context.presentation;
  const shown = systemErrorOf(error) ?? error;
  if (!json) await tellHeld(context);
  const { text, exitCode } = await renderProblem(shown, {
    json,
    colour,
    warnings: held,
    explainStack: context.explainStack,
  });
  if (shown !== error && globalsIn(context.argv).debug)
    await context.stderr.write(debugLines(context.explainStack?.(inspect(error)) ?? inspect(error)));
  // A second ^C, or how far the run is, may stand on the line.
  const isBelow = context.forced.aborted && context.stderr.isTerminal;
  await context.stderr.write(isBelow ? `\n${text}` : text);
  return exitCode;
}

/** What the operating system refused, wherever it did, as an expected failure: no fault of innctl. */
function systemErrorOf(error: unknown): CliError | undefined {
  if (!(error instanceof Error && 'errno' in error && 'syscall' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : '';
  const sentence = `The system refused a call (${error.syscall}${path}): ${reasonOf(error)}.`;
  return new CliError('system_error', sentence, { cause: error });
}

function debugLines(text: string): string {
  const lines = neutraliseMessage(text).split('\n');
  return lines.map((line) => `debug: ${line}\n`).join('');
}

/** What is said on stderr never decides what becomes of a run: a reader that is gone misses it. */
function lenient(sink: Sink): Sink {
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    write: (text) =>
      sink.write(text).catch((error) => {
        if (!(error instanceof ClosedPipe || error instanceof CliError)) throw error;
      }),
  };
}

function redacting(sink: Sink, clean: (text: string) => string): Sink {
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    write: (text) => sink.write(clean(text)),
  };
}

/** Errors of the command line itself must already come in the right form, before any flag is parsed. */
function wantsJson(argv: readonly string[], root: Root, fromEnvironment: string | undefined): boolean {
  const { json, query, quiet, output } = globalsIn(argv, root);
  if (json || query) return true;
  return isJsonFormat(output ?? (quiet ? undefined : fromEnvironment));
}
