import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Characters of one column that join no others: letters of Latin, Greek, Cyrillic, Hebrew, Arabic and Thai, and signs. With
 * the wide characters and the marks they make up most names, and are measured in a hundredth of the time.
 */
const narrow =
  ' -~\\u00a0-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u0590\\u05d0-\\u05ea\\u0620-\\u064a' +
  '\\u0e01-\\u0e30\\u0e32\\u0e3f-\\u0e46\\u0e4f-\\u0e5b\\u1e00-\\u1fff' +
  '\\u2010-\\u2027\\u202f-\\u205f\\u20a0-\\u20cf';

/** Characters of two columns that join no others: those of Chinese, Japanese and Korean, and signs among them. */
const wide = '\\u3000-\\u3029\\u3041-\\u3096\\u309b-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60';

/** Marks above or below one of these, which have no width. */
const marks =
  '\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u064b-\\u065f' +
  '\\u0670\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e\\u3099\\u309a';

const ASCII = /^[ -~]*$/;
const APART = new RegExp(`^[${narrow}${wide}]*$`);
const SIMPLE = new RegExp(`^[${narrow}${wide}${marks}]*$`);
const WIDE = new RegExp(`[${wide}]`, 'g');
const MARKS = new RegExp(`[${marks}]`, 'g');

/** Code units per segmentation: the segmenter slows down with the length of its text. */
const PIECE = 256;

/**
 * Columns of a neutralised line on a terminal.
 *
 * @param enough counting may stop once there are more than this. Default: all are counted.
 */
export function displayWidth(line: string, enough = Number.POSITIVE_INFINITY): number {
  if (ASCII.test(line)) return line.length;
  if (SIMPLE.test(line)) return line.length + timesOf(WIDE, line) - timesOf(MARKS, line);
  let width = 0;
  for (const piece of piecesOf(line)) {
    for (const { segment } of new Intl.Segmenter('en').segment(piece)) width += characterWidth(segment);
    if (width > enough) break;
  }
  return width;
}

function timesOf(sign: RegExp, line: string): number {
  return line.match(sign)?.length ?? 0;
}

/** The line, filled with spaces up to `columns`. */
export function pad(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - displayWidth(line, columns)));
}

/** The line if it fits into `columns`, else its beginning and an ellipsis. */
export function truncate(line: string, columns: number): string {
  if (displayWidth(line, columns) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const character of charactersOf(line)) {
    width += displayWidth(character);
    if (width >= columns) break;
    kept += character;
  }
  return `${kept}…`;
}

function* charactersOf(line: string): Iterable<string> {
  if (APART.test(line)) yield* line;
  else for (const { segment } of new Intl.Segmenter('en').segment(line)) yield segment;
}

/** The line in pieces that end between two characters as people see them. */
function* piecesOf(line: string): Iterable<string> {
  let rest = line;
  while (rest.length > PIECE) {
    // One unit more, so that the last of them is not half a surrogate pair.
    const characters = new Intl.Segmenter('en').segment(rest.slice(0, PIECE + 1));
    // The last character may continue beyond the piece, so it begins the next one.
    const end = characters.containing(PIECE - 1)?.index || PIECE;
    yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  yield rest;
}

/**
 * Columns of one character as people see it, with all that is joined to it.
 *
 * Regular expressions with Unicode properties are not at module level: the engine takes milliseconds to build them.
 */
function characterWidth(character: string): number {
  const points = visiblePointsOf(character);
  const [first, ...joined] = points;
  if (first === undefined) return 0;
  if (isEmoji(character)) return 2;
  return isLeadingJamo(first) || isVowelJamo(first) || isTrailingJamo(first)
    ? jamoWidth(points)
    : eastAsianWidth(first) + joinedWidth(joined);
}

/** The code points that are drawn; marks above and below others have no width. */
function visiblePointsOf(character: string): readonly number[] {
  const visible =
    /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/u;
  return [...character].filter((each) => visible.test(each)).map((each) => each.codePointAt(0) ?? 0);
}

/**
 * Whether it is an emoji of several parts: a key, a flag, a symbol shown as an emoji, a person with a colour of skin. One of a
 * single part is as wide as other characters, and those that are joined are neutralised before.
 */
function isEmoji(character: string): boolean {
  return /^(?:[\d#*]\ufe0f?\u20e3|\p{RI}{2}|(?![\d#*\p{RI}])\p{Emoji}\ufe0f|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})$/u.test(
    character,
  );
}

/** Korean letters; those that form one syllable together count as one. */
function jamoWidth(points: readonly number[]): number {
  let width = 0;
  for (let index = 0; index < points.length; index += 1) {
    const [point = 0, next, last] = points.slice(index, index + 3);
    width += eastAsianWidth(point);
    if (isLeadingJamo(point) && isVowelJamo(next)) index += isTrailingJamo(last) ? 2 : 1;
  }
  return width;
}

/** Marks next to their letter, and half-width forms. */
function joinedWidth(joined: readonly number[]): number {
  return joined
    .filter(
      (point) => isWithin(point, 0xff00, 0xffef) || /\p{Spacing_Mark}/u.test(String.fromCodePoint(point)),
    )
    .reduce((sum, point) => sum + eastAsianWidth(point), 0);
}

function isLeadingJamo(point: number | undefined): boolean {
  return isWithin(point, 0x1100, 0x115f) || isWithin(point, 0xa960, 0xa97c);
}

function isVowelJamo(point: number | undefined): boolean {
  return isWithin(point, 0x1160, 0x11a7) || isWithin(point, 0xd7b0, 0xd7c6);
}

function isTrailingJamo(point: number | undefined): boolean {
  return isWithin(point, 0x11a8, 0x11ff) || isWithin(point, 0xd7cb, 0xd7fb);
}

function isWithin(point: number | undefined, first: number, last: number): boolean {
  return point !== undefined && point >= first && point <= last;
}
