import { CliError } from '../errors.ts';

/** Lets a deletion end with 0 where nothing is there; typed again, it then settles one whose outcome is unknown. */
export const ignoreNotFoundFlag = [
  '--ignore-not-found',
  'end with 0 where nothing is there to delete',
] as const;

/**
 * Reports in place of `not_found` that nothing was there, where that was asked for.
 *
 * @returns for `catch`; every other error goes on.
 */
export function unlessIgnored(isIgnored: true | undefined, report: () => Promise<void>) {
  return (error: unknown): Promise<void> => {
    if (isIgnored === true && error instanceof CliError && error.code === 'not_found') return report();
    throw error;
  };
}

/** The flag as the settling command needs it, where it was not typed. */
export function ignoringNotFound(isIgnored: true | undefined): readonly string[] {
  return isIgnored === true ? [] : ['--ignore-not-found'];
}
