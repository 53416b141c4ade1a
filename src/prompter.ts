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
  text(question: string, options?: { readonly check?: Check; readonly initial?: string }): Promise<string>;
  /** The answer is never echoed. */
  secret(question: string, options?: { readonly check?: Check }): Promise<string>;
  /** Default answer is no. */
  confirm(question: string): Promise<boolean>;
  choose(question: string, choices: readonly Choice[]): Promise<string>;
  chooseSeveral(question: string, choices: readonly Choice[]): Promise<readonly string[]>;
}
