import { cover, merged, type Span, screenFor, searchRuns } from './redaction/runs.ts';
import { encodedForms, formsOf, hintOf, isSpelled, readingOf } from './redaction/spelling.ts';

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
  let search = searchFor([]);
  let spelled = searchSpelled(secrets, open);
  let passed = 0;
  const maskedBy = (text: string, spansBesides: (shown: string) => readonly Span[]) => {
    if (text.length < SHORTEST_SECRET || secrets.size === 0) return text;
    const shown = withoutBareNumbers(search.numeric, text);
    passed += shown.length;
    const spans = passed < COLD && !hasHead(search, shown) ? [] : spansOf(search, shown);
    return masked(shown, [...spans, ...spansBesides(shown)]);
  };
  return {
    add(secret) {
      if (secret.length < SHORTEST_SECRET || secrets.has(secret)) return;
      secrets.add(secret);
      for (const form of formsOf(secret)) if (!MASK.includes(form)) forms.add(form);
      search = searchFor([...forms]);
      spelled = searchSpelled(secrets, open);
    },
    allow(value) {
      open.add(value);
      spelled = searchSpelled(secrets, open);
    },
    text: (text) => maskedBy(text, (shown) => spelled.runs(shown)),
    data: (text) => maskedBy(text, (shown) => spelled.whole(shown)),
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

/** From this length on it pays to screen a text before it is read. */
const LONG = 4_096;

/** Finds secrets in spellings that `formsOf` does not list. It is made when it is needed: many runs print nothing but data. */
function searchSpelled(secrets: ReadonlySet<string>, open: ReadonlySet<string>) {
  const isLong = (word: string) => word.length >= SHORTEST_SECRET && !MASK.includes(word);
  const read = (texts: Iterable<string>) => [...texts].map((each) => readingOf(each).text).filter(isLong);
  const words = once(() => read(secrets));
  const hint = once(() => hintOf(words()));
  const encoded = once(() => read([...secrets].flatMap(encodedForms)));
  const search = once(() => searchRuns({ secrets: words(), encoded: encoded(), open: read(open) }));
  const screen = once(() => screenFor({ secrets: words(), encoded: encoded() }));
  return {
    runs(text: string): readonly Span[] {
      if (text.length > LONG && !isSpelled(text) && !screen()(text)) return [];
      const { text: plain, written } = readingOf(text);
      return written(search()(plain));
    },
    whole(text: string): readonly Span[] {
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

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What is searched for, in one pass over a text however many forms there are. */
interface Search {
  /** For each pair of characters, by `slotOf`, how many characters further the next head may end; 0: here. */
  readonly steps: Uint8Array;
  /** By their first characters. */
  readonly formsByHead: ReadonlyMap<string, readonly string[]>;
  /** The forms that can be a number of JSON, or a part of one. */
  readonly numeric: readonly string[];
}

/**
 * Characters of a run that pass by the searches that are built in. Ours goes over less of a text, but takes a hundred times
 * as long until V8 has made code of it.
 */
const COLD = 200_000;

/** Slots for pairs of characters; pairs that share one cost a look, and nothing is missed. */
const SLOTS = 4_096;

function searchFor(forms: readonly string[]): Search {
  const formsByHead = new Map<string, string[]>();
  const steps = new Uint8Array(SLOTS).fill(SHORTEST_SECRET - 1);
  for (const form of forms) {
    const head = form.slice(0, SHORTEST_SECRET);
    formsByHead.set(head, [...(formsByHead.get(head) ?? []), form]);
    for (let end = 1; end < head.length; end += 1) {
      const slot = slotOf(head, end);
      steps[slot] = Math.min(steps[slot] ?? 0, SHORTEST_SECRET - 1 - end);
    }
  }
  return { steps, formsByHead, numeric: forms.filter((form) => /^[\d.eE+-]+$/.test(form)) };
}

/** Where a pair of characters has its slot, by the place of the second one. */
function slotOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & (SLOTS - 1);
}

function hasHead({ formsByHead }: Search, text: string): boolean {
  for (const head of formsByHead.keys()) if (text.includes(head)) return true;
  return false;
}

/**
 * Where the first head from a place on stands; -1: nowhere. Everything that is printed passes here, so most characters are
 * stepped over without a look (the search of Wu and Manber): no form is shorter than a head.
 */
function headFrom({ steps, formsByHead }: Search, text: string, from: number): number {
  let end = from + SHORTEST_SECRET - 1;
  while (end < text.length) {
    const step = steps[slotOf(text, end)] ?? 0;
    const start = end - SHORTEST_SECRET + 1;
    if (step === 0 && formsByHead.has(text.slice(start, end + 1))) return start;
    end += Math.max(1, step);
  }
  return -1;
}

/** Every place of a form, and of as much of it as stands before an ellipsis. */
function spansOf(search: Search, text: string): readonly Span[] {
  const spans: { start: number; end: number }[] = [];
  const ends = new Map<string, number>();
  const misses = new Map<string, number>();
  for (let start = headFrom(search, text, 0); start !== -1; start = headFrom(search, text, start + 1)) {
    const head = text.slice(start, start + SHORTEST_SECRET);
    for (const form of search.formsByHead.get(head) ?? []) {
      // A form that repeats itself would be compared over and over.
      const miss = misses.get(form) ?? -1;
      const isMissed = miss >= start && text[miss] !== form[miss - start];
      if (isMissed || start < (ends.get(form) ?? 0)) continue;
      let end = start + SHORTEST_SECRET;
      while (end - start < form.length && form[end - start] === text[end]) end += 1;
      if (end - start < form.length && text[end] !== '…') misses.set(form, end);
      else {
        ends.set(form, end);
        cover(spans, start, end);
      }
    }
  }
  return spans;
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
