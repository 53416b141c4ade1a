import type { Check, Choice, Prompter } from '../cli/ports.ts';
import { neutraliseLine } from './text.ts';

/**
 * A prompter that masks secrets in questions, labels and the messages of checks. Answers stay as they are, and so does an
 * initial one: it is drawn raw, so one with control or invisible characters is not offered.
 *
 * @param clean masks secrets.
 */
export function redactedPrompter(prompter: Prompter, clean: (text: string) => string): Prompter {
  const cleanLabels = (choices: readonly Choice[]) =>
    choices.map(({ value, label }) => ({ value, label: clean(label) }));
  return {
    text: (question, options = {}) =>
      prompter.text(clean(question), withCleanCheck(offerable(options), clean)),
    secret: (question, options = {}) => prompter.secret(clean(question), withCleanCheck(options, clean)),
    confirm: (question) => prompter.confirm(clean(question)),
    choose: (question, choices, options) => prompter.choose(clean(question), cleanLabels(choices), options),
    chooseSeveral: (question, choices, options) =>
      prompter.chooseSeveral(clean(question), cleanLabels(choices), options),
  };
}

function offerable<Options extends { readonly initial?: string }>(
  options: Options,
): Omit<Options, 'initial'> {
  const { initial, ...others } = options;
  return initial === undefined || neutraliseLine(initial) === initial ? options : others;
}

function withCleanCheck<Options extends { readonly check?: Check }>(
  options: Options,
  clean: (text: string) => string,
): Options {
  const { check } = options;
  if (check === undefined) return options;
  const cleanCheck: Check = async (answer) => {
    const verdict = await check(answer);
    return verdict === true || clean(verdict);
  };
  return { ...options, check: cleanCheck };
}
