import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { openPaint } from '../../src/print/paint.ts';
import { drawBoxes } from '../../src/print/table.ts';
import { openMeasure } from '../../src/print/width.ts';
import { fc } from '../helpers/laws.ts';

/** Boxes of these texts, every other column in colour. */
async function boxesOf(head: readonly string[], rows: readonly (readonly string[])[], colour: boolean) {
  const tones = new Map(rows.flat().map((cell) => [cell, 'error'] as const));
  const columns = (rows[0] ?? []).map((_, index) => ({
    field: `${index}`,
    header: '',
    ...(index % 2 === 1 ? { tones } : {}),
  }));
  const sheet = { columns, head, rows, measure: await openMeasure([...head, ...rows.flat()]) };
  const look = {
    columns: 1_000,
    headers: head.length > 0,
    isWide: true,
    plain: false,
    colours: await openPaint(colour),
  };
  return drawBoxes(sheet, { widths: [], limits: [] }, look);
}

/** Texts that terminals draw as wide as string-width says; some tables of widths misjudge some. */
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
      const shown = await boxesOf(head, rows, colour);

      const frames = await framesOf(shown);
      expect(frames[0]?.length).toBe((rows[0]?.length ?? 0) + 1);
      expect(frames).toEqual(frames.map(() => frames[0]));
    }),
  );
});
