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
  const cleanCheck = (check: Check | undefined): Check => {
    return (answer) => {
      const problem = check?.(answer);
      return problem === undefined ? undefined : clean(problem);
    };
  };
  return {
    text: (question, { initial, check } = {}) =>
      prompter.text(clean(question), {
        initial: initial !== undefined && neutraliseLine(initial) === initial ? initial : undefined,
        check: cleanCheck(check),
      }),
    secret: (question, { check } = {}) => prompter.secret(clean(question), { check: cleanCheck(check) }),
    confirm: (question) => prompter.confirm(clean(question)),
    choose: (question, choices, options) => prompter.choose(clean(question), cleanLabels(choices), options),
    chooseSeveral: (question, choices, options) =>
      prompter.chooseSeveral(clean(question), cleanLabels(choices), options),
  };
}
