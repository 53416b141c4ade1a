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
