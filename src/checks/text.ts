/** What cannot stand in a value that a person types: controls, bidi controls and other invisible characters. */
const invisible = /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** What is wrong with a text of one line, or `undefined`. */
export function textProblem(text: string, longest = 1_000): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > longest) return `is longer than ${longest} characters`;
  if (invisible.test(text)) return 'has control or invisible characters';
  return undefined;
}

/** How a wrong value is quoted in a sentence: as JSON, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
