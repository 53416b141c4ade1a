import type { Page } from '../records.ts';
import { cardOf } from './cards-style.ts';
import type { Shape } from './output.ts';
import { lookOf, sheetsOf } from './sheet.ts';
import type { Screen, Style } from './styles.ts';

/** For people: a list is a table, a single record a card with every field. */
export const tableStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: table,
  record: cardOf,
  facts: undefined,
  line: undefined,
  speaks: true,
};

async function* table(shape: Shape, pages: AsyncIterable<Page>, screen: Screen): AsyncIterable<string> {
  const { drawTable } = await import('./table.ts');
  yield* drawTable(sheetsOf(shape, pages, screen), await lookOf(shape, screen));
}
