import stringWidth from 'string-width';

const ASCII = /^[ -~]*$/;

/** Code units that are taken apart at once: each step of the segmenter costs more the longer its text is. */
const PIECE = 256;

/**
 * Columns that a neutralised line takes on a terminal.
 *
 * @param enough when there are more than this, the number may be any beyond it. Default: all are counted.
 */
export function displayWidth(line: string, enough = Number.POSITIVE_INFINITY): number {
  if (ASCII.test(line)) return line.length;
  let width = 0;
  for (const piece of piecesOf(line)) {
    width += stringWidth(piece);
    if (width > enough) break;
  }
  return width;
}

/** The line, filled with spaces up to `columns`. */
export function pad(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - displayWidth(line, columns)));
}

/** The line if it fits into `columns`, else as many of its characters as fit before an ellipsis. */
export function truncate(line: string, columns: number): string {
  if (displayWidth(line, columns) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(line)) {
    width += displayWidth(segment);
    if (width >= columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The line in pieces that end between two characters, as people see them. */
function* piecesOf(line: string): Iterable<string> {
  let rest = line;
  while (rest.length > PIECE) {
    // One unit more, lest the last of them is half a surrogate pair.
    const characters = new Intl.Segmenter('en').segment(rest.slice(0, PIECE + 1));
    // The last character may go on beyond the piece, so it begins the next one.
    const end = characters.containing(PIECE - 1)?.index || PIECE;
    yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  yield rest;
}
