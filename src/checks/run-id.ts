import { quote } from './text.ts';

/** Why a text cannot be the id of a run, as a clause; `undefined` when it can. */
export function runIdProblem(text: string): string | undefined {
  if (/^[\x21-\x7e]{1,128}$/.test(text)) return undefined;
  return `${quote(text)} must be 1 to 128 visible ASCII characters without blanks`;
}
