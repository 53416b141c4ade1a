import { type ParseError, parse } from 'jsonc-parser';
import { messageOf } from '../cli/errors.ts';

/**
 * What is wrong with a text that JSON.parse refused, without the piece of it that the parser quotes, and the offset of
 * the first mistake where one is found.
 *
 * @param text not nested deeply: looking for the place calls itself for each level.
 */
export function jsonMistake(
  text: string,
  cause: unknown,
): { readonly reason: string; readonly offset: number | undefined } {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const said = messageOf(cause);
  const reason = said
    .replace(/(?: in JSON)? at position.*$/s, '')
    .replace(/, (?:\.{3})?"[\s\S]* is not valid JSON$/, '');
  return { reason, offset: errors[0]?.offset };
}
