import type { Prompter } from '../../src/model/ports.ts';

const unexpectedPrompt = async () => {
  throw new Error('this question was not expected');
};

/** A prompter that nobody may ask; tests replace the methods that they expect. */
export const noPrompter: Prompter = {
  text: unexpectedPrompt,
  secret: unexpectedPrompt,
  confirm: unexpectedPrompt,
  choose: unexpectedPrompt,
  chooseSeveral: unexpectedPrompt,
};
