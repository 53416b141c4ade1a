import { Terminal } from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { openMeasure } from '../../src/print/width.ts';
import { desk, onePage } from './desk.ts';

/** Names that every terminal, also an old one, draws with the same width. */
const names = [
  { script: 'Latin', name: 'Grand Hotel' },
  { script: 'Latin with combining marks', name: 'Ho\u0302tel Su\u0308d' },
  { script: 'Chinese', name: '北京大飯店' },
  { script: 'Japanese', name: 'グランドホテル東京ｶﾞ' },
  { script: 'Japanese with combining marks', name: 'か\u3099くしゃ' },
  { script: 'Korean', name: '서울 호텔' },
  { script: 'Korean in jamo', name: '\u1100\u1161\u11a8 호텔' },
  { script: 'Thai', name: 'โรงแรมที่กรุงเทพ' },
  { script: 'Hebrew', name: 'מלון' },
  { script: 'Hebrew with points', name: 'שָׁלוֹם' },
  { script: 'Arabic', name: 'فندق' },
  { script: 'Arabic with vowels', name: 'مَرْحَبًا' },
  { script: 'Tamil', name: 'வணக்கம்' },
  { script: 'full width', name: 'ＨＯＴＥＬ' },
  { script: 'flags', name: '🇩🇪 Berlin' },
  { script: 'an ideographic variant', name: '葛\u{e0100}城' },
];

const shape = {
  noun: ['property', 'properties'],
  columns: [
    { field: 'id', header: 'Id' },
    { field: 'name', header: '名 שם' },
    { field: 'city', header: 'City' },
  ],
} as const;

const records = [
  ...names.map(({ name }, index) => ({ id: `H${index}`, name, city: name.repeat(2) })),
  { id: 'LONG', name: '東'.repeat(2_500), city: 'ที่'.repeat(1_250) },
];

/** The text of each line as drawn by a terminal, and the columns of its frame characters. */
async function drawn(text: string) {
  const terminal = new Terminal({ cols: 20_000, rows: 60, allowProposedApi: true, convertEol: true });
  const lines = text.trimEnd().split('\n');
  await new Promise<void>((resolve) => terminal.write(lines.join('\n'), resolve));
  const { active } = terminal.buffer;
  return lines.map((_, index) => {
    const line = active.getLine(index);
    const columns = Array.from({ length: 400 }, (_each, column) => line?.getCell(column)?.getChars() ?? '');
    return {
      text: line?.translateToString(true) ?? '',
      frames: columns.flatMap((characters, column) =>
        '│┌┬┐├┼┤└┴┘'.includes(characters || ' ') ? [column] : [],
      ),
    };
  });
}

describe.each([60, 80, 160])('on a terminal of %i columns', (columns) => {
  test('names in every script keep the frame of a table aligned', async () => {
    const { out, shown } = desk({ format: 'table', terminal: true, columns });
    const { columns: all } = shape;

    await out.records(
      { ...shape, columns: columns < 160 ? all.slice(0, 2) : all },
      onePage(records.slice(0, columns < 80 ? -1 : undefined)),
    );

    const lines = await drawn(shown().stdout);
    const [first] = lines;
    expect(first?.frames.length).toBe(columns < 160 ? 3 : 4);
    expect(lines.map(({ frames }) => frames)).toEqual(lines.map(() => first?.frames));
    expect(first?.frames.at(-1)).toBeLessThan(columns);
  });
});

test.each(names)('a name in $script is as wide as a terminal draws it', async ({ name }) => {
  const [line] = await drawn(`${name}│`);

  const measure = await openMeasure([name]);

  expect(line?.frames).toEqual([measure(name)]);
});
