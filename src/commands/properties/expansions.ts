import { quote } from '../../checks/text.ts';

/** The one value of expand that the contract shows. */
export const EXPANSION = 'unitGroups';

/**
 * What is wrong with a value of --expand, or `undefined`.
 *
 * @param expansions all that there are; `undefined` where nobody says.
 */
export function expansionProblem(
  name: string,
  expansions: readonly string[] | undefined,
): string | undefined {
  if (expansions !== undefined) {
    if (expansions.includes(name)) return undefined;
    return `${quote(name)} is nothing that this service shows: write ${expansions.join(' or ')}`;
  }
  if (/^[A-Za-z\d]{1,100}$/.test(name)) return undefined;
  return `${quote(name)} is not a name of letters and digits such as ${EXPANSION}`;
}
