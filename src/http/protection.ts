import type { Rule } from './guard.ts';

interface Pattern extends Rule<string> {
  readonly matches: (folded: string) => boolean;
}

/**
 * Finds the pattern that protects an id; `undefined` where none does.
 *
 * In a pattern `*` stands for any characters, none included, and nothing else is special. Case does not count,
 * nor how accents are composed.
 */
export function createProtection(
  lists: readonly Rule<readonly string[]>[],
): (id: string) => Rule<string> | undefined {
  const patterns = lists.flatMap(({ value, source }) =>
    value.map((pattern): Pattern => ({ value: pattern, source, matches: matcher(pattern) })),
  );
  return (id) => {
    const names = namesOf(fold(id));
    return patterns.find(({ matches }) => names.some(matches));
  };
}

/** A service may take a semicolon, or dots at the end, for the end of the id. */
function namesOf(id: string): readonly string[] {
  return [id, id.replace(/;.*$/s, ''), id.replace(/\.+$/, '')];
}

/** Each part is looked for once, from where the one before it ended: a regular expression could go back and back. */
function matcher(pattern: string): (text: string) => boolean {
  const [start = '', ...parts] = fold(pattern).split('*');
  const end = parts.pop();
  if (end === undefined) return (text) => text === start;
  return (text) => {
    const last = text.length - end.length;
    if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
    let from = start.length;
    for (const part of parts) {
      const at = text.indexOf(part, from);
      if (at === -1 || at + part.length > last) return false;
      from = at + part.length;
    }
    return true;
  };
}

/**
 * Letters that look alike are alike: wide ones, and with characters between them that nobody sees. Small letters alone
 * would keep the two Greek sigmas apart, capitals alone the two sharp s.
 */
function fold(text: string): string {
  const visible = text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.toLowerCase().toUpperCase().normalize('NFC');
}
