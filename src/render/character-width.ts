import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Columns that one character takes, as people see it: with all that is joined to it.
 *
 * Regular expressions with properties are made here and not at the start: the engine takes milliseconds for them.
 */
export function characterWidth(character: string): number {
  const points = visiblePointsOf(character);
  const [first, ...joined] = points;
  if (first === undefined) return 0;
  if (isEmoji(character)) return 2;
  return isLeadingJamo(first) || isVowelJamo(first) || isTrailingJamo(first)
    ? jamoWidth(points)
    : eastAsianWidth(first) + joinedWidth(joined);
}

/** The code points that are drawn; marks above and below others take no column. */
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

/** Letters of Korean that stand for themselves, but for those that make one syllable together. */
function jamoWidth(points: readonly number[]): number {
  let width = 0;
  for (let index = 0; index < points.length; index += 1) {
    const [point = 0, next, last] = points.slice(index, index + 3);
    width += eastAsianWidth(point);
    if (isLeadingJamo(point) && isVowelJamo(next)) index += isTrailingJamo(last) ? 2 : 1;
  }
  return width;
}

/** Marks that stand beside their letter, and forms of half the width. */
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
