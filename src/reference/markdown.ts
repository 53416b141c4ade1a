/** A text as code, whatever is in it; it must be one line. */
export function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const pad = fence.length > 1 ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Lines as a block of code of a language. */
export function codeBlock(language: string, lines: readonly string[]): string {
  const runs = lines.join('\n').match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(2, ...runs.map(({ length }) => length)) + 1);
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

/** A text as words: nothing in it is markup. */
export function prose(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}

/** A table; cells are Markdown already, in which a bar would end the cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(withoutBars).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Where a link to a heading leads. */
export function anchorOf(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')}`;
}

/** Also within code, as GitHub wants it. */
function withoutBars(cell: string): string {
  return cell.replaceAll(/(?<!\\)\|/g, '\\|');
}
