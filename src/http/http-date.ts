/** The three forms of RFC 9110, section 5.6.7; the last one does not name the zone, which is GMT as well. */
const forms = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/,
];

/** Reads a date as HTTP writes it, in milliseconds since the epoch; `undefined` for anything else. */
export function parseHttpDate(text: string): number | undefined {
  // `Date.parse` alone reads a date into almost anything, such as `-5`.
  if (!forms.some((form) => form.test(text))) return undefined;
  const instant = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  // It also makes the third of March of 31 February; the first number is the day in all forms.
  return new Date(instant).getUTCDate() === Number(/\d+/.exec(text)?.[0]) ? instant : undefined;
}

/**
 * When an answer was sent by its own clock (the first `Date`, whole seconds), in milliseconds since the epoch: dates in it are
 * read against that, so that a wrong clock here does not matter.
 *
 * @param headers names in lower case.
 * @param now counts where the answer carries no `Date`.
 */
export function sentAt(headers: Readonly<Record<string, string>>, now: number): number {
  const [date = ''] = valuesOf(headers['date'] ?? '');
  return parseHttpDate(date) ?? now;
}

/** The values of a header that may have been sent more than once; a comma before a day and its month is part of a date. */
export function valuesOf(header: string): readonly string[] {
  return header.split(/,(?! *\d\d[ -][A-Z])/).map((value) => value.trim());
}
