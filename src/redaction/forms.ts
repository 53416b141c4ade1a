/** Every way in which a secret comes back whole from what is known to write it: URLs, forms, JSON, tables, headers. */
export function formsOf(secret: string): readonly string[] {
  return [
    // The host of a URL is in lower case.
    ...[secret, secret.toLowerCase(), secret.toUpperCase()].flatMap(escapedForms),
    ...encodedForms(secret),
  ];
}

/** A secret in Base64, also within a longer text, and in hexadecimal. */
export function encodedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  return [
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
