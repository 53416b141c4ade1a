/** One entry of a list to choose from. */
export interface Choice {
  readonly value: string;
  /** What the person sees; already neutralised. */
  readonly label: string;
}

/** Says what is wrong with an answer, or `true`. */
export type Check = (answer: string) => true | string | Promise<true | string>;

/**
 * Asks the person at the terminal. Questions go to stderr.
 * Every method rejects with an `Interruption` on ^C.
 */
export interface Prompter {
  /** @param options.initial what Enter takes; one that a terminal cannot show as it is is not offered. */
  text(question: string, options?: { readonly check?: Check; readonly initial?: string }): Promise<string>;
  /** The answer is never echoed. */
  secret(question: string, options?: { readonly check?: Check }): Promise<string>;
  /** Default answer is no. */
  confirm(question: string): Promise<boolean>;
  /**
   * @param choices at least one.
   * @param options.initial the value that Enter takes; the first one where it is not listed.
   */
  choose(
    question: string,
    choices: readonly Choice[],
    options?: { readonly initial?: string },
  ): Promise<string>;
  /**
   * Choosing none is an answer.
   *
   * @param choices at least one.
   * @param options.chosen values that are chosen from the beginning; those that are not listed are left out.
   */
  chooseSeveral(
    question: string,
    choices: readonly Choice[],
    options?: { readonly chosen?: readonly string[] },
  ): Promise<readonly string[]>;
}
