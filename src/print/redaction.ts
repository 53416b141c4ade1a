import { cover, createLookup, merged, type Span, searchRuns } from './redaction/runs.ts';
import { encodedForms, formsOf, hintOf, readingOf } from './redaction/spelling.ts';

/** Replaces a secret. */
const MASK = '[redacted]';

/** Shorter values are not searched for, because they would mask ordinary text. In headers they are masked by name. */
const SHORTEST_SECRET = 8;

/** Names of headers that carry credentials. */
const secretHeader =
  /token|secret|session|api-?key|password|^(?:proxy-)?authorization$|^(?:set-)?cookie$|^www-authenticate$/;

/** Parameters of a URL that carry credentials: `?access_token=...`. */
const secretParameter = /(?<=[?&#][^=&#]*(?:token|secret|password|signature|api_?key)[^=&#]*=)[^&#\s]+/gi;

/** A quote or an escape of JSON, or a number where a JSON value may stand. */
const jsonSign = /\\.|"|(?=[-\d])(?<=(?:^|[:[,\n]) *)[-\d][\d.eE+-]*(?= *[,\]}\n])/g;

/** Masks known secrets in all output. */
export interface Redactor {
  /** Masks this value from now on, in its plain, escaped, hexadecimal and Base64 forms. */
  add(secret: string): void;
  /** Does not mask this value from now on, even where it equals a part of a secret: a client id, a host, a profile. */
  allow(value: string): void;
  /**
   * For what people read and what is stored: masks any twelve consecutive characters of a secret, however they are escaped
   * or broken up, and what an ellipsis left of one.
   */
  text(text: string): string;
  /** For what programs read: masks whole secrets, however they are spelled, and their beginnings before `…`. */
  data(text: string): string;
}

/** A redactor without any secrets yet. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  const open = new Set<string>();
  const forms = new Set<string>();
  let search = searchFor(secrets, forms, open);
  const maskedBy = (text: string, spansBesides: (shown: string) => readonly Span[]) => {
    if (text.length < SHORTEST_SECRET || secrets.size === 0) return text;
    const shown = withoutBareNumbers(search.numeric, text);
    return masked(shown, [...search.literal(shown), ...spansBesides(shown)]);
  };
  return {
    add(secret) {
      if (secret.length < SHORTEST_SECRET || secrets.has(secret)) return;
      secrets.add(secret);
      for (const form of formsOf(secret)) if (!MASK.includes(form)) forms.add(form);
      search = searchFor(secrets, forms, open);
    },
    allow(value) {
      open.add(value);
      search = searchFor(secrets, forms, open);
    },
    text: (text) => maskedBy(text, search.runs),
    data: (text) => maskedBy(text, search.spelled),
  };
}

/** Masks the values of headers that carry credentials; the scheme stays. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeader.test(name) ? maskValue(value) : value.replaceAll(secretParameter, MASK),
    ]),
  );
}

function maskValue(value: string): string {
  const scheme = /^(Bearer|Basic|Digest) /i.exec(value);
  return scheme ? `${scheme[1]} ${MASK}` : MASK;
}

/** Finds secrets in a text. Most of it is built at its first use: many runs print nothing but data. */
function searchFor(secrets: ReadonlySet<string>, forms: ReadonlySet<string>, open: ReadonlySet<string>) {
  const isLong = (word: string) => word.length >= SHORTEST_SECRET && !MASK.includes(word);
  const read = (texts: Iterable<string>) => [...texts].map((each) => readingOf(each).text).filter(isLong);
  const words = once(() => read(secrets));
  const hint = once(() => hintOf(words()));
  const runs = once(() => {
    const encoded = read([...secrets].flatMap(encodedForms));
    return searchRuns(words(), encoded, read(open));
  });
  const cutForms = once(() => createLookup([...forms], SHORTEST_SECRET));
  return {
    /** The forms that can be a JSON number, or a part of one. */
    numeric: [...forms].filter((form) => /^[\d.eE+-]+$/.test(form)),
    /** Every form, and the beginnings of forms before an ellipsis. */
    literal(text: string) {
      const cuts = text.includes('…') ? cutsIn(text, [...forms], cutForms()) : [];
      return [...cuts, ...[...forms].flatMap((form) => placesOf(form, text))];
    },
    /** Runs of secrets, however they are spelled. */
    runs(text: string) {
      const { text: plain, written } = readingOf(text);
      return written(runs()(plain));
    },
    /** Whole secrets, however they are spelled. */
    spelled(text: string) {
      if (words().length === 0 || !hint()(text)) return [];
      const { text: plain, written } = readingOf(text);
      return written(merged(words().flatMap((word) => placesOf(word, plain))));
    },
  };
}

function placesOf(word: string, text: string): readonly Span[] {
  const spans: { start: number; end: number }[] = [];
  for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + word.length))
    cover(spans, start, start + word.length);
  return spans;
}

/** The beginnings of forms before an ellipsis. */
function cutsIn(text: string, forms: readonly string[], mayEnd: (part: string) => boolean): readonly Span[] {
  const spans: Span[] = [];
  for (let end = text.indexOf('…'); end !== -1; end = text.indexOf('…', end + 1)) {
    if (!mayEnd(text.slice(Math.max(0, end - SHORTEST_SECRET), end))) continue;
    for (const form of forms) {
      const head = form.slice(0, SHORTEST_SECRET);
      let start = text.indexOf(head, Math.max(0, end - form.length));
      while (start !== -1 && start < end && !form.startsWith(text.slice(start, end)))
        start = text.indexOf(head, start + 1);
      if (start !== -1 && start < end) spans.push({ start, end });
    }
  }
  return spans;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Replaces a secret number outside of strings by a string: a bare mask would not be JSON. */
function withoutBareNumbers(numeric: readonly string[], text: string): string {
  if (!numeric.some((form) => text.includes(form))) return text;
  let isQuoted = false;
  return text.replaceAll(jsonSign, (sign) => {
    if (sign === '"') isQuoted = !isQuoted;
    return !isQuoted && numeric.some((form) => sign.includes(form)) ? `"${MASK}"` : sign;
  });
}

/** The text with one mask for each group of overlapping spans. */
function masked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of merged(spans)) {
    parts.push(text.slice(done, start), MASK);
    done = end;
  }
  return parts.join('') + text.slice(done);
}
