import { quote, textProblem } from './text.ts';

/** What is wrong with the code of a property at a service that makes ids and paths of it, or `undefined`. */
export function shortCodeProblem(code: string): string | undefined {
  if (/^[A-Za-z0-9_]{3,10}$/.test(code)) return undefined;
  return (
    textProblem(code) ?? `${quote(code)} is not a code of 3 to 10 letters A to Z, digits and underscores`
  );
}
