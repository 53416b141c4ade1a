import { parse as parseCsv } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { ServiceRecord } from '../../src/model/records.ts';
import { exactWording, fieldsOf } from '../../src/print/cells.ts';
import { type Format, formats } from '../../src/print/output.ts';
import { hasHidden } from '../../src/print/text.ts';
import { jsonRecord, jsonValue, text } from '../helpers/arbitrary.ts';
import { fc, few } from '../helpers/laws.ts';
import { desk, onePage, properties } from './desk.ts';

const value = fc.oneof(text, jsonValue);

/** Records with arbitrary values in the columns of a list and in other fields. */
const record: fc.Arbitrary<ServiceRecord> = fc
  .tuple(
    fc.record(
      { id: value, name: value, location: value, is_archived: value, created: value },
      { requiredKeys: [] },
    ),
    jsonRecord,
  )
  .map(([known, others]) => ({ ...others, ...known }));

const records = fc.array(record, { minLength: 1, maxLength: 4 });

const asJson = (any: unknown): unknown => JSON.parse(JSON.stringify(any));

async function listed(format: Format, items: readonly ServiceRecord[], terminal = false, columns = 80) {
  const { out, shown } = desk({ format, terminal, columns });
  await out.records(properties, onePage(items));
  return shown();
}

test('a list as JSON, YAML and NDJSON is the list', async () => {
  await fc.assert(
    fc.asyncProperty(records, async (items) => {
      const document = { count: items.length, items: asJson(items) };

      expect(JSON.parse((await listed('json', items)).stdout)).toEqual(document);
      expect(parseYaml((await listed('yaml', items)).stdout)).toEqual(document);
      const lines = (await listed('ndjson', items)).stdout.trimEnd().split('\n');
      expect(lines.map((line): unknown => JSON.parse(line))).toEqual(document.items);
    }),
    few(20),
  );
});

test('a list as CSV and as TSV has a row per record and a cell per column', async () => {
  const width = properties.columns.length;
  await fc.assert(
    fc.asyncProperty(records, async (items) => {
      const csv: string[][] = parseCsv((await listed('csv', items)).stdout, { record_delimiter: '\n' });
      const tsv = (await listed('tsv', items)).stdout.slice(0, -1).split('\n');

      expect(csv.map((cells) => cells.length)).toEqual([width, ...items.map(() => width)]);
      expect(tsv.map((line) => line.split('\t').length)).toEqual(items.map(() => width));
    }),
    few(20),
  );
});

test('Markdown has a line per record and a cell per column that has a value, whatever is in them', async () => {
  await fc.assert(
    fc.asyncProperty(records, fc.boolean(), async (items, terminal) => {
      const lines = (await listed('md', items, terminal, 20)).stdout.trimEnd().split('\n');
      const widths = lines.map((line) => line.split(/(?<!\\)(?:\\\\)*\|/).length);

      expect(lines.length).toBe(items.length + 2);
      expect(new Set(widths).size).toBe(1);
    }),
    few(20),
  );
});

test('TSV is read back: each escape is one character', async () => {
  await fc.assert(
    fc.asyncProperty(record, async (any) => {
      const { out, shown } = desk({ format: 'tsv' });
      await out.record(properties, any);
      const cells = shown()
        .stdout.split('\n')
        .slice(0, -1)
        .map((line) => line.split('\t').map(unescaped));

      expect(cells).toEqual(
        fieldsOf(any, properties.columns, exactWording).map((field) => [field.path, field.text]),
      );
    }),
  );
});

test.each(formats)('%s has no control characters', async (format) => {
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.boolean(),
      fc.integer({ min: 1, max: 200 }),
      text,
      async (items, terminal, columns, sentence) => {
        const list = await listed(format, items, terminal, columns);
        const { out, shown } = desk({ format, terminal, columns });
        await out.record(properties, items[0] ?? {});
        await out.done(sentence, items[0] ?? {});
        await out.warn(sentence);

        for (const { stdout, stderr } of [list, shown()]) {
          expect(hasHidden(stdout) || hasHidden(stderr)).toBe(false);
          if (format === 'table') expect(stdout.includes('\t') && terminal).toBe(false);
        }
      },
    ),
  );
});

function unescaped(cell: string): string {
  return cell.replaceAll(/\\(\\|n|t|r|u\{([\da-f]+)\})/g, (_, sign: string, hex?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return { n: '\n', t: '\t', r: '\r' }[sign] ?? '\\';
  });
}
