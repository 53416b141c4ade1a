import inquirer from 'inquirer';
import { Interruption } from '../context.ts';
import type { Check, Choice, Prompter } from '../prompter.ts';
import { neutraliseLine } from '../render/text.ts';

/** Where the person is. */
export interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  /** Gets the questions, what is typed and nothing else: stderr. */
  readonly output: NodeJS.WriteStream;
  /** Aborted when the run ends; an open question is then rejected with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Entries of a list that are shown at once. */
const PAGE_SIZE = 10;

/** A prompter on inquirer. ^C, and ^D on an empty line, reject with an `Interruption`. */
export function createInquirerPrompter(streams: PromptStreams): Prompter {
  return {
    text: (message, { check, initial } = {}) =>
      ask<string>(streams, { type: 'input', message, default: initial, validate: validation(check) }),
    secret: (message, { check } = {}) =>
      ask<string>(streams, { type: 'password', message, toggleMask: false, validate: validation(check) }),
    confirm: (message) => ask<boolean>(streams, { type: 'confirm', message, default: false }),
    choose: (message, choices) =>
      ask<string>(streams, {
        type: 'search',
        message,
        pageSize: PAGE_SIZE,
        source: (term: string | undefined) => matching(choices, term ?? '').map(entry),
      }),
    chooseSeveral: (message, choices) =>
      ask<readonly string[]>(streams, {
        type: 'checkbox',
        message,
        pageSize: PAGE_SIZE,
        choices: choices.map(entry),
      }),
  };
}

interface Question extends Readonly<Record<string, unknown>> {
  readonly type: 'input' | 'password' | 'confirm' | 'search' | 'checkbox';
  readonly message: string;
}

async function ask<Answer>({ input, output, signal }: PromptStreams, question: Question): Promise<Answer> {
  const closed = new AbortController();
  // At the end of the input readline pauses it, and inquirer would wait until the program ends, with exit code 0.
  const onPause = () => closed.abort(new Interruption('SIGINT'));
  input.once('pause', onPause);
  const either = AbortSignal.any([signal, closed.signal]);
  const prompt = inquirer.createPromptModule({ input, output, signal: either });
  const message = neutraliseLine(question.message);
  try {
    const { answer } = await prompt<{ answer: unknown }>({ ...question, name: 'answer', message });
    // The type of a question fixes the type of its answer; each caller above names the one that belongs to its question.
    return answer as Answer;
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

function validation(check: Check | undefined) {
  if (check === undefined) return undefined;
  return async (answer: string) => {
    const verdict = await check(answer);
    return verdict === true || neutraliseLine(verdict);
  };
}

function matching(choices: readonly Choice[], term: string): readonly Choice[] {
  const wanted = term.toLowerCase();
  return choices.filter(({ label }) => label.toLowerCase().includes(wanted));
}

function entry({ value, label }: Choice) {
  return { value, name: neutraliseLine(label) };
}
