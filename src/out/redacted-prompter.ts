import type { Check, Choice, Prompter } from '../cli/ports.ts';
import { neutraliseLine } from './text.ts';

/**
 * A prompter that shows no secret in questions, labels and what a check says. Answers stay what they are, an initial
 * one too: it is drawn raw, so that one with what a terminal obeys or does not show is not offered.
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

/**
 * Whether the person wants words only: nothing drawn, nothing redrawn, no cursor that moves. TERM=dumb says so, and
 * ACCESSIBLE, but for an empty value, `0` and `false`.
 */
export function isPlain(env: Readonly<Record<string, string | undefined>>): boolean {
  const isAccessible = !['', '0', 'false'].includes((env['ACCESSIBLE'] ?? '').toLowerCase());
  return isAccessible || env['TERM'] === 'dumb';
}
