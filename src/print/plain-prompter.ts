import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { type Check, type Choice, Interruption, type Prompter } from '../model/ports.ts';
import { neutraliseLine } from './text.ts';

/** The terminal that prompts use. */
export interface PromptStreams<In = Readable, Out = NodeJS.WritableStream> {
  readonly input: In;
  /** Shows the questions and what is typed: stderr. */
  readonly output: Out;
  /** Aborted when the run ends; rejects an open question with its reason. */
  readonly signal: AbortSignal;
}

interface Asking {
  readonly check?: Check | undefined;
  /** The answer at Enter alone. */
  readonly initial?: string | undefined;
  readonly isHidden?: boolean;
}

/**
 * A prompter for screen readers and terminals that cannot draw: plain lines, nothing redrawn, no escapes. Entries are chosen
 * by their numbers. A wrong answer is explained and asked for again. ^C and ^D reject with an `Interruption`.
 */
export function createPlainPrompter(streams: PromptStreams): Prompter {
  const { output } = streams;
  const ask = async (
    question: string,
    { check = () => undefined, initial = '', isHidden = false }: Asking = {},
  ): Promise<string> => {
    const usual = initial === '' ? '' : ` [${neutraliseLine(initial)}]`;
    for (;;) {
      const line = await readLine(streams, `${neutraliseLine(question)}${usual}: `, isHidden);
      const answer = line === '' ? initial : line;
      const problem = /\p{Cc}/u.test(line)
        ? 'The answer has control characters, as an arrow key types them; type it again.'
        : check(answer);
      if (problem === undefined) return answer;
      output.write(`Invalid: ${neutraliseLine(problem)}\n`);
    }
  };
  /** The entries that are chosen by their numbers; without `isSeveral` just one. */
  const pick = async (
    question: string,
    choices: readonly Choice[],
    chosen: readonly string[],
    isSeveral: boolean,
  ) => {
    const lines = choices.map(({ label }, index) => `  ${index + 1}. ${neutraliseLine(label)}\n`);
    output.write(`${neutraliseLine(question)}\n${lines.join('')}`);
    const usual = choices.flatMap(({ value }, index) => (chosen.includes(value) ? [index + 1] : []));
    const form = isSeveral ? 'Numbers, as in 1,2, or 0 for none' : 'Number';
    const check = (answer: string) => {
      const numbers = numbersIn(answer);
      const isKnown = (number: number) => (isSeveral && number === 0) || choices[number - 1] !== undefined;
      const isRight = numbers.every(isKnown) && (isSeveral || numbers.length === 1);
      return isRight ? undefined : `Type ${isSeveral ? 'numbers' : 'a number'} from 1 to ${choices.length}.`;
    };
    const numbers = numbersIn(await ask(form, { check, initial: usual.join(',') }));
    return choices.filter((_, index) => numbers.includes(index + 1)).map(({ value }) => value);
  };
  return {
    text: (question, options) => ask(question, options),
    secret: (question, options) => ask(`${question} (hidden)`, { ...options, isHidden: true }),
    async confirm(question) {
      const isAnswer = /^\s*(?:y|yes|n|no)?\s*$/i;
      const check = (answer: string) =>
        isAnswer.test(answer) ? undefined : 'Answer yes or no, y or n; Enter alone is no.';
      return /y/i.test(await ask(`${question} [y/N]`, { check }));
    },
    choose: async (question, choices, { initial = '' } = {}) =>
      (await pick(question, choices, [initial], false))[0] ?? '',
    chooseSeveral: (question, choices, { chosen = [] } = {}) => pick(question, choices, chosen, true),
  };
}

function numbersIn(answer: string): readonly number[] {
  return answer === '' ? [] : answer.split(',').map(Number);
}

/**
 * Shows the question; returns the next line without its end. Between questions the input is paused.
 *
 * @throws {Interruption} on ^C and ^D.
 */
async function readLine({ input, output, signal }: PromptStreams, question: string, isHidden: boolean) {
  if (input.readableEnded || input.destroyed) throw new Interruption('SIGINT');
  // A terminal shows what is typed by itself, unless it is in raw mode, which begins before the question: readline shows nothing.
  const lines = createInterface({ input, terminal: isHidden, historySize: 0 });
  const ended = new AbortController();
  lines.once('close', () => ended.abort(new Interruption('SIGINT')));
  lines.once('error', (error) => ended.abort(error));
  const either = AbortSignal.any([signal, ended.signal]);
  let isLineEnded = false;
  output.write(question);
  try {
    const line = await lines.question('', { signal: either });
    // The terminal showed the Enter key.
    isLineEnded = !isHidden;
    return line;
  } catch (error) {
    throw either.aborted ? either.reason : error;
  } finally {
    lines.close();
    if (!isLineEnded) output.write('\n');
  }
}
