import { CliError } from '../errors.ts';
import { neutraliseJson } from './text.ts';

/**
 * The value as JSON text that no terminal obeys: what `neutralise` would replace is written as `\uXXXX`.
 *
 * @param options.pretty indents by two spaces; otherwise everything is on one line.
 * @throws {CliError} `unprintable` when the value is nested deeper, or its text longer, than the engine can print.
 */
export function toJson(value: unknown, options: { readonly pretty: boolean }): string {
  return printed(() => JSON.stringify(value, undefined, options.pretty ? 2 : undefined));
}

/** The values as JSON like `toJson`, each on a line of its own. @throws {CliError} like `toJson`. */
export function toJsonLines(values: readonly unknown[]): string {
  // What may have to be replaced is looked for once: most pages of a list have nothing of it.
  return printed(() => values.reduce<string>((lines, value) => `${lines}${JSON.stringify(value)}\n`, ''));
}

function printed(json: () => string): string {
  try {
    return neutraliseJson(json());
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CliError(
      'unprintable',
      'Could not print the result as JSON: it is nested too deeply or too long.',
      {
        hint: 'With `--output ndjson` each record of a list is printed on its own.',
        cause,
      },
    );
  }
}
