import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { expect, test } from 'vitest';
import { drawBoxes } from '../../src/out/table.ts';
import { displayWidth } from '../../src/out/width.ts';
import { fc } from '../helpers/laws.ts';

/** Characters to which the table library and the program give the same width. */
const piece = fc.constantFrom(
  ...['BER', ' ', '', '-', 'Grand Hotel', '│', 'Zürich', 'e\u0301', '東京', '서울', '🏨', 'фойе', '…'],
);
const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
const cell = fc.oneof(
  line,
  fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
);

const table = fc.integer({ min: 1, max: 6 }).chain((columns) =>
  fc.record({
    head: fc.array(line, { minLength: columns, maxLength: columns }),
    rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
      minLength: 1,
      maxLength: 8,
    }),
    headers: fc.boolean(),
    colour: fc.boolean(),
  }),
);

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const red = (text: string) =>
  text
    .split('\n')
    .map((each) => `\u001b[31m${each}\u001b[39m`)
    .join('\n');

test('tables equal those of the table library, character for character', () => {
  fc.assert(
    fc.property(table, ({ head, rows, headers, colour }) => {
      const title = colour ? bold : (text: string) => text;
      const paint = (text: string, index: number) => (colour && index % 2 === 1 ? red(text) : text);
      const library = new Table({
        head: headers ? head.map(title) : [],
        style: { head: [], border: [], compact: true },
      });
      library.push(...rows.map((cells) => cells.map(paint)));
      const widths = head.map((text, index) => {
        const column = rows.flatMap((cells) => cells[index]?.split('\n') ?? []);
        return Math.max(...[...(headers ? [text] : []), ...column].map((each) => displayWidth(each)));
      });

      const drawn = drawBoxes(
        { head, rows, widths },
        { columns: 200, plain: false, headers, title, cell: paint, isLines: () => true },
      );

      expect(drawn).toBe(`${library.toString()}\n`);
      expect(new Set(drawn.trimEnd().split('\n').map(columnsOf)).size).toBe(1);
    }),
  );
});

function columnsOf(shown: string): number {
  return displayWidth(stripVTControlCharacters(shown));
}
