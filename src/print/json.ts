import { CliError } from '../model/errors.ts';
import { neutraliseJson } from './text.ts';

/**
 * The value as JSON that is safe on a terminal: what `neutralise` would replace is written as `\uXXXX`.
 *
 * @param indent spaces for each level; without it everything is on one line.
 * @throws {CliError} `unprintable` when the value is nested deeper, or its text longer, than the engine can print.
 */
export function toJson(value: unknown, indent?: number): string {
  return printed('JSON', () => neutraliseJson(JSON.stringify(value, undefined, indent)));
}

/** JSON for people and programs, ended by a newline. */
export function prettyJson(value: unknown): string {
  return `${toJson(value, 2)}\n`;
}

/** Records. */
const PIECE = 100;

/** `prettyJson` of facts with a list as the last of them, in pieces: a long list has a text that is longer still. */
export function* prettyList({ items, ...facts }: { readonly items: readonly unknown[] }): Generator<string> {
  if (items.length <= PIECE) return yield prettyJson({ ...facts, items });
  yield prettyJson({ ...facts, items: [] }).slice(0, -']\n}\n'.length);
  for (let at = 0; at < items.length; at += PIECE) {
    const entries = toJson(items.slice(at, at + PIECE), 2).slice(1, -2);
    yield `${at === 0 ? '' : ','}${entries.replaceAll('\n', '\n  ')}`;
  }
  yield '\n  ]\n}\n';
}

/** The values as JSON like `toJson`, each on a line of its own. @throws {CliError} like `toJson`. */
export function toJsonLines(values: readonly unknown[]): string {
  // One search for hidden characters in all lines: most pages of a list have none.
  return printed('JSON', () =>
    neutraliseJson(values.reduce<string>((lines, value) => `${lines}${JSON.stringify(value)}\n`, '')),
  );
}

/** The text that `print` gives. @throws {CliError} `unprintable` when it runs out of stack or of length. */
export function printed(format: 'JSON' | 'YAML', print: () => string): string {
  try {
    return print();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = `Could not print the result as ${format}: it is nested too deeply or too long.`;
    const hint = 'With `--output ndjson` each record of a list is printed on its own.';
    throw new CliError('unprintable', message, { hint, cause });
  }
}
