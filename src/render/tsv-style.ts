import type { Page } from '../records.ts';
import { cellsOf, exactVoice } from './cells.ts';
import { fieldsOf } from './fields.ts';
import type { Shape } from './output.ts';
import type { Style } from './styles.ts';
import { neutraliseLine } from './text.ts';

/**
 * Tab-separated rows without a header, nothing cut, dates as they came; a single record is `field<TAB>value`.
 * Inside a cell a backslash is `\\`, so the escapes for tab, newline and controls can be read back.
 */
export const tsvStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: rows,
  record: async (shape, record) =>
    fieldsOf(record, shape.columns, exactVoice)
      .map(({ path, text }) => row([path, text]))
      .join(''),
  facts: undefined,
  line: undefined,
  speaks: true,
};

async function* rows({ columns }: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  for await (const { items } of pages) {
    if (items.length > 0) yield items.map((item) => row(cellsOf(item, columns, exactVoice))).join('');
  }
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => neutraliseLine(cell.replaceAll('\\', '\\\\'))).join('\t')}\n`;
}
