import type { Page, ServiceRecord } from '../records.ts';
import { cellsOf, lastingVoice, linesIn, spokenVoice, type Voice } from './cells.ts';
import { fieldsOf } from './fields.ts';
import type { Column, Shape } from './output.ts';
import { openPaint } from './paint.ts';
import type { Screen, Style } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';

/** Code units; what is longer is cut, for nobody reads it, and measuring it takes its time. */
const LONGEST_TEXT = 10_000;

/** For people: a list is a table, a single record a card with every field. */
export const tableStyle: Style = { list: table, record: card, facts: undefined };

async function* table({ columns }: Shape, pages: AsyncIterable<Page>, screen: Screen): AsyncIterable<string> {
  const voice = screen.isTerminal ? spokenVoice(screen.now(), false) : lastingVoice;
  const rows: (readonly string[])[] = [];
  for await (const { items } of pages) {
    for (const item of items) rows.push(rowOf(item, columns, voice, screen));
  }
  if (rows.length === 0) return;
  const { drawList } = await import('./table.ts');
  const paint = await openPaint(screen.colour);
  const cell = (text: string, index: number) => {
    const tone = columns[index]?.tones?.get(text);
    return tone === undefined ? text : paint[tone](text);
  };
  const width = screen.isTerminal ? screen.columns : Number.POSITIVE_INFINITY;
  yield drawList(
    { head: columns.map(({ header }) => header), rows },
    {
      columns: width,
      plain: screen.plain,
      title: paint.title,
      cell,
      isLines: (index) => columns[index]?.format === 'lines',
    },
  );
}

async function card({ columns }: Shape, record: ServiceRecord, screen: Screen): Promise<string> {
  const voice = screen.isTerminal ? spokenVoice(screen.now(), true) : lastingVoice;
  const fields = fieldsOf(record, columns, voice);
  const { drawCard } = await import('./cards.ts');
  return drawCard(
    fields.map(({ label }) => shown(label, screen)),
    fields.map(({ text }) => shown(text, screen)),
    await openPaint(screen.colour),
  );
}

/** Neutralised cells, each on one line but for those that are lists of lines. */
function rowOf(
  item: ServiceRecord,
  columns: readonly Column[],
  voice: Voice,
  screen: Screen,
): readonly string[] {
  return cellsOf(item, columns, voice).map((cell, index) => {
    const lines = linesIn(item, columns[index]);
    return lines === undefined ? shown(cell, screen) : lines.map((line) => shown(line, screen)).join('\n');
  });
}

function shown(text: string, { clean }: Screen): string {
  return clip(neutraliseLine(clean(text)), LONGEST_TEXT);
}
