import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { drawBoxes } from '../../src/print/boxes.ts';
import { openMeasure } from '../../src/print/width.ts';
import { fc } from '../helpers/laws.ts';

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const plain = (text: string) => text;

/** Texts that terminals draw as wide as string-width says; the table library alone would misjudge some. */
const piece = fc.constantFrom(
  ...['BER', ' ', '-', 'Grand Hotel', 'Zürich', '©', '™', 'e\u0301', '東京', '서울', 'ｶﾞ', '🇩🇪'],
  ...['фойе', '…', 'โรงแรมที่กรุงเทพ', 'שָׁלוֹם', 'مَرْحَبًا', '\ue000\ue000', '$&', '\u{f0000}'],
);
const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));

const table = fc.integer({ min: 1, max: 6 }).chain((columns) => {
  const size = { minLength: columns, maxLength: columns };
  return fc.record({
    head: fc.oneof(fc.array(line, size), fc.constant([])),
    rows: fc.array(fc.array(line, size), { minLength: 1, maxLength: 8 }),
    colour: fc.boolean(),
  });
});

/** The columns at which a terminal draws the frame of each line. */
async function framesOf(shown: string): Promise<readonly (readonly number[])[]> {
  const lines = shown.trimEnd().split('\n');
  const cols = 1_000;
  const terminal = new Terminal({ cols, rows: lines.length, allowProposedApi: true, convertEol: true });
  await new Promise<void>((resolve) => terminal.write(lines.join('\n'), resolve));
  return lines.map((_, index) => {
    const drawn = terminal.buffer.active.getLine(index);
    return Array.from({ length: cols }, (_each, column) => column).filter((column) =>
      /^[┌┬┐├┼┤└┴┘│]/.test(drawn?.getCell(column)?.getChars() ?? ''),
    );
  });
}

test('a terminal draws all frames of a table below each other, whatever its texts', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ head, rows, colour }) => {
      const measure = await openMeasure([...head, ...rows.flat()]);
      const shown = drawBoxes(head, rows, {
        measure,
        title: colour ? bold : plain,
        paint: (_, column) => (colour && column % 2 === 1 ? red : plain),
      });

      const frames = await framesOf(shown);
      expect(frames[0]?.length).toBe((rows[0]?.length ?? 0) + 1);
      expect(frames).toEqual(frames.map(() => frames[0]));
    }),
  );
});

test('texts are drawn as they are', async () => {
  const rows = [
    ['東京', 'BER: $&'],
    ['', '\u0301'],
    ['', '\ue000'],
    ['é', ''],
  ];
  const measure = await openMeasure(rows.flat());

  expect(drawBoxes(['Id', 'ร์'], rows, { measure, title: plain, paint: () => plain })).toBe(
    [
      '┌──────┬─────────┐',
      '│ Id   │ ร์       │',
      '├──────┼─────────┤',
      '│ 東京 │ BER: $& │',
      '│      │  \u0301       │',
      '│      │ \ue000       │',
      '│ é    │         │',
      '└──────┴─────────┘',
      '',
    ].join('\n'),
  );
});
