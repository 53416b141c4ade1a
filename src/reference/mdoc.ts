/** Longest line of a manual page's source. */
const WIDTH = 78;

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '"': '\\(dq',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** A text in which nothing means anything to roff, and every character comes out as itself, in any locale. */
export function escaped(text: string): string {
  return Array.from(text, (character) => escapes[character] ?? plain(character)).join('');
}

/** Sentences as filled text: each begins a line, and none of the lines is one of roff's own. */
export function filled(text: string): readonly string[] {
  return text
    .trim()
    .split(/(?<=[.!?]["')\]]*)\s+/)
    .flatMap(wrapped)
    .map(textLine);
}

/** Lines as they are typed. */
export function literal(lines: readonly string[]): readonly string[] {
  return ['.Bd -literal -offset indent', ...lines.map((line) => textLine(escaped(line))), '.Ed'];
}

/** One argument of a macro: no macro itself, and no punctuation. */
export function argument(text: string): string {
  const escapedText = escaped(text);
  const safe = /^([A-Z%][a-z0-9]{1,2}|[.,:;()[\]?!|])$/.test(text) ? `\\&${escapedText}` : escapedText;
  return /\s/.test(text) || text === '' ? `"${safe}"` : safe;
}

/**
 * A list of tagged entries; nothing where there are none.
 *
 * @param width a text as wide as the tags; where it is given, no blank lines stand between the entries.
 */
export function tagged(
  entries: readonly { readonly tag: string; readonly text: readonly string[] }[],
  width?: string,
): readonly string[] {
  if (entries.length === 0) return [];
  const list = width === undefined ? '.Bl -tag -width Ds' : `.Bl -tag -width ${argument(width)} -compact`;
  return [list, ...entries.flatMap(({ tag, text }) => [`.It ${tag}`, ...text]), '.El'];
}

/** Words of one sentence in lines that are short enough, escaped. */
function wrapped(sentence: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(/\s+/).map(escaped)) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A line that begins with a dot would be a macro. An apostrophe is escaped already. */
function textLine(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}

function plain(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20 || point === 0x7f) return ' ';
  if (point < 0x7f) return character;
  return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
}
