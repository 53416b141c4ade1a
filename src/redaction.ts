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
  /** From now on this value is masked, in its plain, URL-encoded, escaped, hexadecimal and Base64 forms, in any one case. */
  add(secret: string): void;
  /** The text without secrets, and without the beginnings of them that an ellipsis cut. */
  text(text: string): string;
}

/** A redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const forms = new Set<string>();
  let search = searchFor([]);
  let passed = 0;
  return {
    add(secret) {
      if (secret.length < SHORTEST_SECRET) return;
      const before = forms.size;
      for (const form of formsOf(secret)) if (!MASK.includes(form)) forms.add(form);
      if (forms.size > before) search = searchFor([...forms]);
    },
    text(text) {
      if (text.length < SHORTEST_SECRET) return text;
      const shown = withoutBareNumbers(search.numeric, text);
      passed += shown.length;
      if (passed < COLD && !hasHead(search, shown)) return shown;
      return masked(shown, spansOf(search, shown));
    },
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

/** Where a secret stands in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every place of a form, and of as much of it as stands before an ellipsis. */
function spansOf(search: Search, text: string): readonly Span[] {
  const spans: Span[] = [];
  if (search.formsByHead.size === 0) return spans;
  const isCut = text.includes('…');
  for (let start = headFrom(search, text, 0); start !== -1; start = headFrom(search, text, start + 1)) {
    const head = text.slice(start, start + SHORTEST_SECRET);
    for (const form of search.formsByHead.get(head) ?? []) {
      const length = text.startsWith(form, start)
        ? form.length
        : isCut
          ? beforeEllipsis(form, text, start)
          : 0;
      if (length > 0) spans.push({ start, end: start + length });
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

/** How much of a form stands here before an ellipsis; none, 0. */
function beforeEllipsis(form: string, text: string, start: number): number {
  let length = SHORTEST_SECRET;
  while (length < form.length && form[length] === text[start + length]) length += 1;
  return text[start + length] === '…' ? length : 0;
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
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  return [
    // The host of a URL is in lower case.
    ...[secret, secret.toLowerCase(), secret.toUpperCase()].flatMap(escapedForms),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    ...[0, 1, 2].flatMap((before) => [within(bytes, before, 'base64'), within(bytes, before, 'base64url')]),
    hex,
    hex.toUpperCase(),
  ];
}

/** The characters of the Base64 of a longer text that depend on the secret alone, by how many bytes stand before it. */
function within(secret: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const bits = 8 * (before + secret.length);
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString(encoding);
  return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}

function escapedForms(secret: string): readonly string[] {
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
  ];
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As the body of a form carries it: other characters are escaped than in a URL, and a blank is a plus. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
