import inquirer from 'inquirer';
import { type Check, type Choice, Interruption, type Prompter } from '../cli/ports.ts';
import { entryOf, pick } from './pick-prompt.ts';
import { neutraliseLine } from './text.ts';
import { openMeasure } from './width.ts';

/** The terminal that prompts use. */
export interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  /** Shows the questions and what is typed: stderr. */
  readonly output: NodeJS.WriteStream;
  /** Aborted when the run ends; rejects an open question with its reason. */
  readonly signal: AbortSignal;
}

/** A prompter on inquirer. ^C, and ^D on an empty line, reject with an `Interruption`. */
export function createInquirerPrompter(streams: PromptStreams): Prompter {
  const size = () => ({ columns: streams.output.columns || 80, rows: streams.output.rows || 24 });
  const pickFrom = async (
    text: string,
    choices: readonly Choice[],
    isSeveral: boolean,
    chosen: readonly string[],
  ) => {
    const [message, entries] = [neutraliseLine(text), choices.map(entryOf)];
    const measure = await openMeasure(entries.map(({ label }) => label));
    return asking(streams, (context) =>
      pick({ message, entries, isSeveral, chosen, size, measure }, context),
    );
  };
  return {
    text: (message, { check, initial } = {}) =>
      ask<string>(streams, { type: 'input', message, default: initial, validate: validation(check) }),
    secret: (message, { check } = {}) =>
      ask<string>(streams, { type: 'password', message, toggleMask: false, validate: validation(check) }),
    confirm: (message) => ask<boolean>(streams, { type: 'confirm', message, default: false }),
    choose: async (message, choices, { initial } = {}) => {
      const [value = ''] = await pickFrom(message, choices, false, initial === undefined ? [] : [initial]);
      return value;
    },
    chooseSeveral: (message, choices, { chosen = [] } = {}) => pickFrom(message, choices, true, chosen),
  };
}

interface Question extends Readonly<Record<string, unknown>> {
  readonly type: 'input' | 'password' | 'confirm';
  readonly message: string;
}

async function ask<Answer>(streams: PromptStreams, question: Question): Promise<Answer> {
  return asking(streams, async (context) => {
    const prompt = inquirer.createPromptModule(context);
    const message = neutraliseLine(question.message);
    const { answer } = await prompt<{ answer: unknown }>({ ...question, name: 'answer', message });
    // The type of a question fixes the type of its answer; each caller above names the one that belongs to its question.
    return answer as Answer;
  });
}

/** Shows one prompt, until it is answered or cancelled. */
async function asking<Answer>(
  { input, output, signal }: PromptStreams,
  put: (context: PromptStreams) => Promise<Answer>,
): Promise<Answer> {
  const closed = new AbortController();
  // At the end of the input readline pauses it, and inquirer would wait forever; the process would exit with 0.
  const onPause = () => closed.abort(new Interruption('SIGINT'));
  input.once('pause', onPause);
  const either = AbortSignal.any([signal, closed.signal]);
  try {
    return await put({ input, output, signal: either });
  } catch (error) {
    throw meaningOf(error, either);
  } finally {
    input.off('pause', onPause);
  }
}

function meaningOf(error: unknown, { reason }: AbortSignal): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'AbortPromptError') return reason;
  return error.name === 'ExitPromptError' ? new Interruption('SIGINT') : error;
}

function validation(check: Check = () => undefined) {
  return (answer: string) => {
    const problem = check(answer);
    return problem === undefined || neutraliseLine(problem);
  };
}
