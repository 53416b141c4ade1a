/** The first line that Excel heeds and does not show: `sep=;`. A byte order mark may stand before it, decoded or not. */
const SEPARATOR = /^(?:\ufeff|\xef\xbb\xbf)?("?)sep=([^\p{L}\p{N}"'=\s]|\t)\1(?:\r\n|\n|\r|$)/iu;

/** The delimiter that the first line of a table states, and the length of that line; `undefined` where it states none. */
export function statedDelimiter(
  text: string,
): { readonly mark: string; readonly length: number } | undefined {
  const [line, , mark] = SEPARATOR.exec(text) ?? [];
  return line === undefined || mark === undefined ? undefined : { mark, length: line.length };
}
