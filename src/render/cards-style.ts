import type { Page, ServiceRecord } from '../records.ts';
import { lastingVoice, spokenVoice } from './cells.ts';
import { fieldsOf } from './fields.ts';
import type { Shape } from './output.ts';
import { openPaint } from './paint.ts';
import { lookOf, sheetsOf, shownText } from './sheet.ts';
import type { Screen, Style } from './styles.ts';

/** For people: a card for each record of a list with the columns of its table, a single record with every field. */
export const cardsStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: cards,
  record: cardOf,
  facts: undefined,
  line: undefined,
  speaks: true,
};

async function* cards(shape: Shape, pages: AsyncIterable<Page>, screen: Screen): AsyncIterable<string> {
  const { openCards } = await import('./cards.ts');
  const draw = openCards(await lookOf(shape, screen));
  for await (const sheet of sheetsOf(shape, pages, screen)) yield draw(sheet);
}

/** One record as a card with every field. */
export async function cardOf(
  { columns, told = asItIs }: Shape,
  record: ServiceRecord,
  screen: Screen,
): Promise<string> {
  const voice = screen.isTerminal ? spokenVoice(screen.now(), true) : lastingVoice;
  const fields = fieldsOf(told(record), columns, voice);
  const { drawCard } = await import('./cards.ts');
  return drawCard(
    fields.map(({ label }) => shownText(label, screen)),
    fields.map(({ text }) => shownText(text, screen)),
    await openPaint(screen.colour),
  );
}

function asItIs(record: ServiceRecord): ServiceRecord {
  return record;
}
