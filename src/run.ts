import { CommanderError } from '@commander-js/extra-typings';
import type { Context, Sink, World } from './context.ts';
import { CliError, ClosedPipe, Concluded } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import { globalsIn } from './global-options.ts';
import { parseFailure } from './parse-failure.ts';
import { buildProgram } from './program.ts';
import { createRedactor, type Redactor } from './redaction.ts';
import { colourFor } from './render/colour.ts';
import { toJson } from './render/json.ts';
import { renderProblem } from './render/problem.ts';
import { isJsonFormat } from './render/styles.ts';
import { neutraliseSaid } from './render/text.ts';
import { redactedPrompter } from './terminal/redacted-prompter.ts';

/**
 * One run of innctl: entry point and test seam. The only place that reports errors.
 *
 * @param argv the words after the program's name.
 * @returns the exit code; nothing is left running.
 */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  const redactor = createRedactor();
  const context: Context = {
    ...world,
    argv,
    redactor,
    stdout: redacting(world.stdout, redactor),
    stderr: lenient(redacting(world.stderr, redactor)),
    prompter: redactedPrompter(world.prompter, redactor.text),
    presentation: {
      json: wantsJson(argv, world.env['INNCTL_OUTPUT']),
      held: [],
      colour: colourFor({ flag: undefined, env: world.env, isTerminal: world.stderr.isTerminal }),
    },
  };
  try {
    const exitCode = await conclude(parse(argv, context));
    await context.stderr.write(
      context.presentation.held.map((warning) => `warning: ${neutraliseSaid(warning)}\n`).join(''),
    );
    return exitCode;
  } catch (error) {
    return await report(error, context);
  }
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

async function parse(argv: readonly string[], context: Context): Promise<void> {
  const said: string[] = [];
  const program = buildProgram(context, (text) => said.push(text));
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `commander.help` is a group without a verb: its help is the answer, not a mistake.
    if (error.exitCode !== 0 && error.code !== 'commander.help') throw parseFailure(error, argv, program);
  }
  if (said.length === 0) return;
  const text = said.join('');
  await context.stdout.write(context.presentation.json ? `${toJson({ text }, { pretty: true })}\n` : text);
}

async function report(error: unknown, context: Context): Promise<ExitCode> {
  const { json, colour, held } = context.presentation;
  const { text, exitCode } = await renderProblem(error, { json, colour, warnings: held });
  await context.stderr.write(text);
  return exitCode;
}

/** What is said on stderr never decides what becomes of a run: a reader that is gone misses it. */
function lenient(sink: Sink): Sink {
  return {
    ...sink,
    write: (text) =>
      sink.write(text).catch((error) => {
        if (!(error instanceof ClosedPipe || error instanceof CliError)) throw error;
      }),
  };
}

function redacting(sink: Sink, redactor: Redactor): Sink {
  return {
    isTerminal: sink.isTerminal,
    get columns() {
      return sink.columns;
    },
    write: (text) => sink.write(redactor.text(text)),
  };
}

/** Errors of the command line itself must already come in the right form, before any flag is parsed. */
function wantsJson(argv: readonly string[], fromEnvironment: string | undefined): boolean {
  const { json, query, quiet, output } = globalsIn(argv);
  if (json || query) return true;
  return isJsonFormat(output ?? (quiet ? undefined : fromEnvironment));
}
