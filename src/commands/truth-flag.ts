import { quote } from '../checks/text.ts';

/** A flag that may be followed by true or false, and alone means true. */
export type TruthFlag = string | true | undefined;

/** What is wrong with the word after such a flag, or `undefined`. */
export function truthProblem(given: TruthFlag): string | undefined {
  const isKnown = given === undefined || given === true || given === 'true' || given === 'false';
  return isKnown ? undefined : `${quote(given)} is neither true nor false`;
}

/** What such a flag says; its word is known to be right. */
export function truthOf(given: TruthFlag): boolean | undefined {
  return given === undefined ? undefined : given !== 'false';
}
