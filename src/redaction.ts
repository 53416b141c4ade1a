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
  /** From now on this value is masked, in its plain, URL-encoded, JSON-escaped and Base64 forms. */
  add(secret: string): void;
  text(text: string): string;
}

/** A redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const forms = new Set<string>();
  let longestFirst: readonly string[] = [];
  return {
    add(secret) {
      if (secret.length < SHORTEST_SECRET) return;
      for (const form of formsOf(secret)) forms.add(form);
      longestFirst = [...forms].sort((a, b) => b.length - a.length);
    },
    text: (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, MASK), text),
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

function formsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    formEncoded(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ];
}

/** As the body of a form carries it: other characters are escaped than in a URL, and a blank is a plus. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
