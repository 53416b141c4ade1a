const [QUOTE, EQUALS, LF, CR] = [0x22, 0x3d, 0x0a, 0x0d];

/**
 * The bytes of a CSV text in which each cell `="01067"`, a formula that keeps a spreadsheet from reading a number, stands in
 * quotes as the format wants it: `"=""01067"""`. Cells that stand in quotes already, and other formulas, stay.
 *
 * @param mark between cells, one character of ASCII.
 */
export function quoteTextFormulas(bytes: Uint8Array, mark: string): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes('="')) return bytes;
  const delimiter = mark.charCodeAt(0);
  const isEnd = (at: number) =>
    at >= text.length || text[at] === delimiter || text[at] === LF || text[at] === CR;
  const parts: Uint8Array[] = [];
  let kept = 0;
  for (let at = text.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0; at < text.length; at += 1) {
    if (text[at] === QUOTE) at = endOfQuoted(text, at);
    else if (text[at] === EQUALS && text[at + 1] === QUOTE) {
      const end = endOfQuoted(text, at + 1);
      const formula = text.toString('latin1', at, end);
      if (isEnd(end) && !/[\r\n]/.test(formula)) {
        parts.push(text.subarray(kept, at), Buffer.from(`"${formula.replaceAll('"', '""')}"`, 'latin1'));
        kept = end;
        at = end;
      }
    }
    while (!isEnd(at)) at += 1;
  }
  return Buffer.concat([...parts, text.subarray(kept)]);
}

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

/** The offset behind the quote that closes the one at `start`; behind the text where none does. */
function endOfQuoted(text: Buffer, start: number): number {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf(QUOTE, at);
    if (at < 0) return text.length;
    if (text[at + 1] !== QUOTE) return at + 1;
  }
}
