/** What stands where a secret was. */
const MASK = '[redacted]';

/** Shorter values are not searched for: they would mask ordinary text. Names still mask them in headers. */
const SHORTEST_SECRET = 8;

/** Headers that carry credentials under names of their own. */
const secretName = /token|secret|session|api-?key|password/;

/** Parameters of a URL that carry credentials: `?access_token=...`. */
const secretParameter = /(?<=[?&#][^=&#]*(?:token|secret|password|signature|api_?key)[^=&#]*=)[^&#\s]+/gi;

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
  /** From now on this value is masked, in its plain, URL-encoded, escaped and Base64 forms. */
  add(secret: string): void;
  /** The text without secrets, and without the beginnings of them that an ellipsis cut. */
  text(text: string): string;
}

/** A redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const forms = new Set<string>();
  return {
    add(secret) {
      if (secret.length < SHORTEST_SECRET) return;
      for (const form of formsOf(secret)) if (!MASK.includes(form)) forms.add(form);
    },
    text: (text) =>
      masked(
        text,
        [...forms].flatMap((form) => spansOf(form, text)),
      ),
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

/** Where a secret stands in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every place of a form, and of as much of it as stands before an ellipsis. */
function spansOf(form: string, text: string): readonly Span[] {
  const head = form.slice(0, SHORTEST_SECRET);
  const spans: Span[] = [];
  for (let start = text.indexOf(head); start !== -1; start = text.indexOf(head, start + 1)) {
    const end = start + sharedLength(form, text, start);
    if (end === start + form.length || text[end] === '…') spans.push({ start, end });
  }
  return spans;
}

function sharedLength(form: string, text: string, start: number): number {
  let length = SHORTEST_SECRET;
  while (length < form.length && form[length] === text[start + length]) length += 1;
  return length;
}

/** The text with one mask for all spans that overlap: what one of them leaves may be most of another. */
function masked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start >= done) parts.push(text.slice(done, start), MASK);
    done = Math.max(done, end);
  }
  return parts.join('') + text.slice(done);
}

function formsOf(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const urls = [encodeURIComponent(text), formEncoded(text), formEncoded(text).replaceAll('+', '%20')];
  const json = jsonEscaped(secret);
  return [
    secret,
    ...urls.flatMap((url) => [url, url.replaceAll(/%../g, (code) => code.toLowerCase())]),
    json,
    json.replaceAll('/', '\\/'),
    jsonEscaped(json),
    // In a cell of CSV and of TSV.
    secret.replaceAll('"', '""'),
    secret.replaceAll('\\', '\\\\'),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ];
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As the body of a form carries it: other characters are escaped than in a URL, and a blank is a plus. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
