import { OutcomeUnknown } from '../errors.ts';
import { shellLine } from '../render/shell.ts';

/** The flags that say which service is meant. */
export interface ServiceChoice {
  readonly sandbox?: true;
  readonly profile?: string;
}

/**
 * Adds to an unknown outcome what settles it.
 *
 * @returns for `catch`; every error goes on.
 */
export function inDoubt(hint: string) {
  return (error: unknown): never => {
    throw error instanceof OutcomeUnknown ? error.withHint(hint) : error;
  };
}

/** A command line for the service that is meant. */
export function serviceLine(globals: ServiceChoice, ...words: readonly string[]): string {
  return shellLine(['innctl', ...serviceFlags(globals), ...words]);
}

/** The words of a command line that say which service is meant, for a hint that must not lead to another one. */
export function serviceFlags(globals: ServiceChoice): readonly string[] {
  if (globals.sandbox === true) return ['--sandbox'];
  return globals.profile === undefined ? [] : ['--profile', globals.profile];
}
