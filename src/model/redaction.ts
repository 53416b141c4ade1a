/** Replaces a secret. */
const MASK = '[redacted]';

/** Shorter values are not searched for, because they would mask ordinary text. In headers they are masked by name. */
const SHORTEST_SECRET = 8;

/** Names of headers that carry credentials. */
const secretHeader =
  /token|secret|session|api-?key|password|^(?:proxy-)?authorization$|^(?:set-)?cookie$|^www-authenticate$/;

/** Parameters of a URL that carry credentials: `?access_token=...`. */
const secretParameter = /(?<=[?&#][^=&#]*(?:token|secret|password|signature|api_?key)[^=&#]*=)[^&#\s]+/gi;

/** Masks known secrets in all output. */
export type Redactor = Readonly<ReturnType<typeof createRedactor>>;

/** A redactor without any secrets yet. */
export function createRedactor() {
  let spellings: readonly string[] = [];
  return {
    /** Masks this value from now on. */
    add(secret: string): void {
      if (secret.length < SHORTEST_SECRET) return;
      const all = new Set([...spellings, ...spellingsOf(secret)]);
      // A secret may be a part of another one.
      spellings = [...all].sort((one, other) => other.length - one.length);
    },
    /** The text with every secret masked that stands in it whole, in one of its exact spellings. */
    text: (text: string): string =>
      spellings.reduce((rest, spelling) => rest.replaceAll(spelling, MASK), text),
  };
}

/** A secret as it is, in a URL, a form, Base64, JSON and HTML. */
function spellingsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    Buffer.from(secret).toString('base64'),
    JSON.stringify(secret).slice(1, -1),
    entitiesIn(secret),
  ];
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text with entities in place of what means something in HTML. */
export function entitiesIn(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Masks the values of headers that carry credentials; the scheme stays. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeader.test(name)
        ? value.replace(/^((?:Bearer|Basic|Digest) )?.*$/is, `$1${MASK}`)
        : value.replaceAll(secretParameter, MASK),
    ]),
  );
}
