import { cover, createLookup, merged, type Span, searchRuns } from './redaction/runs.ts';
import { encodedForms, formsOf, hintOf, readingOf } from './redaction/spelling.ts';

/** What stands where a secret was. */
const MASK = '[redacted]';

/** Shorter values are not searched for: they would mask ordinary text. Names still mask them in headers. */
const SHORTEST_SECRET = 8;

/** Headers that carry credentials under names of their own. */
const secretName = /token|secret|session|api-?key|password/;

/** Parameters of a URL that carry credentials: `?access_token=...`. */
const secretParameter = /(?<=[?&#][^=&#]*(?:token|secret|password|signature|api_?key)[^=&#]*=)[^&#\s]+/gi;

/** What begins or ends a string of JSON, an escape, and a number where a value of JSON may stand. */
const jsonSign = /\\.|"|(?=[-\d])(?<=(?:^|[:[,\n]) *)[-\d][\d.eE+-]*(?= *[,\]}\n])/g;

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'www-authenticate',
]);

/** Stands in front of every sink: no secret that it knows passes. */
export interface Redactor {
  /** From now on this value is masked, in its plain, escaped, hexadecimal and Base64 forms. */
  add(secret: string): void;
  /** From now on this value is no secret, though a part of a secret may be the same: the id of a client, a host, a profile. */
  allow(value: string): void;
  /**
   * For all that people read and what is kept: the text without any twelve characters of a secret in a row, however they are
   * escaped or broken up, and without what an ellipsis left of one.
   */
  text(text: string): string;
  /** For what programs read: the text without whole secrets, however they are spelled, and without their beginnings before `…`. */
  data(text: string): string;
}

/** A redactor that knows no secret yet. */
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

/** Headers as they may be shown: the values of those that carry credentials are masked, the scheme stays. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.has(name) || secretName.test(name)
        ? maskValue(value)
        : value.replaceAll(secretParameter, MASK),
    ]),
  );
}

function maskValue(value: string): string {
  const scheme = /^(Bearer|Basic|Digest) /i.exec(value);
  return scheme ? `${scheme[1]} ${MASK}` : MASK;
}

/** What finds secrets in a text. Most of it is made at its first use: many runs print nothing but data. */
interface Search {
  /** The forms that can be a number of JSON, or a part of one. */
  readonly numeric: readonly string[];
  /** Every form, and as much of one as stands before an ellipsis. */
  literal(text: string): readonly Span[];
  /** Runs of secrets, however they are spelled. */
  runs(text: string): readonly Span[];
  /** Whole secrets, however they are spelled. */
  spelled(text: string): readonly Span[];
}

function searchFor(
  secrets: ReadonlySet<string>,
  forms: ReadonlySet<string>,
  open: ReadonlySet<string>,
): Search {
  const isLong = (word: string) => word.length >= SHORTEST_SECRET && !MASK.includes(word);
  const read = (texts: Iterable<string>) => [...texts].map((each) => readingOf(each).text).filter(isLong);
  const words = once(() => read(secrets));
  const hint = once(() => hintOf(words()));
  const runs = once(() => {
    const encoded = read([...secrets].flatMap(encodedForms));
    return searchRuns({ secrets: words(), encoded, open: read(open) });
  });
  const cutForms = once(() => createLookup([...forms], SHORTEST_SECRET));
  return {
    numeric: [...forms].filter((form) => /^[\d.eE+-]+$/.test(form)),
    literal(text) {
      const cuts = text.includes('…') ? cutsIn(text, [...forms], cutForms()) : [];
      return [...cuts, ...[...forms].flatMap((form) => placesOf(form, text))];
    },
    runs(text) {
      const { text: plain, written } = readingOf(text);
      return written(runs()(plain));
    },
    spelled(text) {
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

/** The beginnings of forms that stand before an ellipsis. */
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

/** A number outside the strings of JSON becomes a string: a bare mask in its place would be no JSON. */
function withoutBareNumbers(numeric: readonly string[], text: string): string {
  if (!numeric.some((form) => text.includes(form))) return text;
  let isQuoted = false;
  return text.replaceAll(jsonSign, (sign) => {
    if (sign === '"') isQuoted = !isQuoted;
    return !isQuoted && numeric.some((form) => sign.includes(form)) ? `"${MASK}"` : sign;
  });
}

/** The text with one mask for all spans that overlap: what one of them leaves may be most of another. */
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
