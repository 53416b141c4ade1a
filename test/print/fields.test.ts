import { describe, expect, test } from 'vitest';
import { formats } from '../../src/print/output.ts';
import { berlin, desk, munich, onePage, properties } from './desk.ts';

const view = { fields: ['location.city', 'id', 'name.de', 'bank.iban'] };
const bank = { bank: { iban: 'DE02', bic: 'BYLA' } };
const hotel = { ...berlin, ...bank };

const nested = {
  location: { city: 'Berlin' },
  id: 'BER',
  name: { de: 'Grandhotel' },
  bank: { iban: 'DE02' },
};
const gaps = { location: { city: null }, id: 'MUC', name: { de: null }, bank: { iban: null } };

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

describe('selected fields of a list', () => {
  const table = [
    '┌────────┬─────┬────────────┬───────────┐',
    '│ City   │ ID  │ Name (de)  │ Bank IBAN │',
    '├────────┼─────┼────────────┼───────────┤',
    '│ Berlin │ BER │ Grandhotel │ DE02      │',
    '│ -      │ MUC │ -          │ -         │',
    '└────────┴─────┴────────────┴───────────┘',
    '',
  ].join('\n');
  const shownAs = {
    table,
    wide: table,
    cards: [
      'City:      Berlin',
      'ID:        BER',
      'Name (de): Grandhotel',
      'Bank IBAN: DE02',
      '',
      'City:      -',
      'ID:        MUC',
      'Name (de): -',
      'Bank IBAN: -',
      '',
    ].join('\n'),
    json: json({ count: 2, items: [nested, gaps] }),
    ndjson: `${JSON.stringify(nested)}\n${JSON.stringify(gaps)}\n`,
    csv: 'location.city,id,name.de,bank.iban\nBerlin,BER,Grandhotel,DE02\n,MUC,,\n',
    tsv: 'Berlin\tBER\tGrandhotel\tDE02\n\tMUC\t\t\n',
    md: '| City | ID | Name (de) | Bank IBAN |\n| --- | --- | --- | --- |\n| Berlin | BER | Grandhotel | DE02 |\n| - | MUC | - | - |\n',
    yaml: [
      'count: 2',
      'items:',
      '  - location:',
      '      city: Berlin',
      '    id: BER',
      '    name:',
      '      de: Grandhotel',
      '    bank:',
      '      iban: DE02',
      '  - location:',
      '      city: null',
      '    id: MUC',
      '    name:',
      '      de: null',
      '    bank:',
      '      iban: null',
      '',
    ].join('\n'),
  };

  test.each(formats)('are the only ones shown, in the given order, as %s', async (format) => {
    const { out, shown } = desk({ format, view });

    await out.records(properties, onePage([hotel, munich]));

    expect(shown()).toEqual({ stdout: shownAs[format], stderr: '' });
  });

  test('may be list entries by index', async () => {
    const fields = ['properties.1', 'properties.0.id', 'properties.7', 'properties.0.roles.0'];
    const user = { email: 'ana@example.com', properties: [{ id: 'BER', roles: ['Auditor'] }, 'MUC'] };
    const [tsv, ndjson] = [desk({ view: { fields } }), desk({ format: 'ndjson', view: { fields } })];
    const shape = { noun: ['user', 'users'], columns: [], others: fields } as const;

    await tsv.out.records(shape, onePage([user, { properties: null }]));
    await ndjson.out.records(shape, onePage([user, { properties: null }]));

    expect(tsv.shown().stdout).toBe('MUC\tBER\t\tAuditor\n\t\t\t\n');
    expect(ndjson.shown().stdout).toBe(
      '{"properties":["MUC",{"id":"BER","roles":["Auditor"]},null]}\n' +
        '{"properties":[null,{"id":null,"roles":[null]},null]}\n',
    );
  });

  test('inside another selected field are not duplicated', async () => {
    const { out, shown } = desk({ format: 'ndjson', view: { fields: ['bank.iban', 'bank', 'bank.bic'] } });

    await out.records(properties, onePage([hotel]));

    expect(JSON.parse(shown().stdout)).toEqual(bank);
  });
});

describe('an unknown field', () => {
  test.each(formats)('fails before anything is printed as %s', async (format) => {
    const { out, shown } = desk({ format, view: { fields: ['nmae', 'id', 'city'] } });

    const printing = out.records(properties, pagesAfterAnEmptyOne());

    await expect(printing).rejects.toMatchObject({
      exitCode: 2,
      details: [
        { field: '--fields', reason: 'no property has "nmae"' },
        { field: '--fields', reason: 'no property has "city"' },
      ],
    });
    expect(shown()).toEqual({ stdout: '', stderr: '' });
  });

  test.each(['isArchived', 'constructor', '__proto__', 'ids.length', 'ids.00', 'bank.iban.0'])(
    'is rejected: %s',
    async (field) => {
      const { out } = desk({ view: { fields: [field] } });

      await expect(out.records(properties, onePage([{ ...hotel, ids: ['1'] }]))).rejects.toMatchObject({
        message: `--fields: no property has "${field}"`,
      });
    },
  );

  test('is reported with the first existing fields and the number of others', async () => {
    const { out } = desk({ view: { fields: ['shoe_size'] } });
    const floors = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`floor${index}`, index]));

    await expect(out.record({ ...properties, others: ['tax_id'] }, floors)).rejects.toMatchObject({
      hint:
        'The fields are id, name, location.city, is_archived, created, tax_id, floor0, floor1, floor2, floor3, ' +
        'floor4, floor5, floor6, floor7, floor8, floor9, floor10, floor11, floor12, floor13, and 6 more.',
    });
    await expect(out.document('no record')).rejects.toMatchObject({ hint: undefined });
  });

  test('fails also for a record, a line and a response', async () => {
    const { out, shown } = desk({ format: 'json', view: { fields: ['nmae'] } });

    await expect(out.record(properties, berlin)).rejects.toThrow('no property has "nmae"');
    await expect(out.line('BER', { name: 'BER' })).rejects.toThrow('the result has no "nmae"');
    await expect(out.document([{ name: 1 }])).rejects.toThrow('the answer has no "nmae"');
    await expect(out.document('no record')).rejects.toThrow('the answer has no "nmae"');

    expect(shown()).toEqual({ stdout: '', stderr: '' });
  });

  test('is a warning and null after a write', async () => {
    const { out, shown } = desk({ format: 'ndjson', view: { fields: ['id', 'nmae'] } });

    await out.done('Created BER.', { id: 'BER', name: 'x' });
    await out.document({ id: 'MUC' }, { write: 'POST /hotels: 201.' });
    await out.records({ ...properties, ofWrites: true }, onePage([{ id: 'VIE' }]));

    expect(shown()).toEqual({
      stdout: '{"id":"BER","nmae":null}\n{"id":"MUC","nmae":null}\n{"id":"VIE","nmae":null}\n',
      stderr: [
        'warning: --fields: the result has no "nmae".\n',
        'warning: --fields: the answer has no "nmae".\n',
        'warning: --fields: no property has "nmae".\n',
      ].join(''),
    });
  });

  test('is not reported for an empty list or a known field', async () => {
    const empty = desk({ format: 'csv', view: { fields: ['nmae'] } });
    const known = desk({
      view: { fields: ['tax_id', 'profile'] },
      isKnownField: (name) => name === 'tax_id',
    });

    await empty.out.records(properties, onePage([]));
    await known.out.records({ ...properties, others: ['profile'] }, onePage([munich]));

    expect([empty.shown(), known.shown()]).toEqual([
      { stdout: 'nmae\n', stderr: '' },
      { stdout: '\t\n', stderr: '' },
    ]);
  });
});

describe('selected fields of a record', () => {
  const chosen = { fields: ['location.city', 'id'] };
  const shownAs = {
    table: 'City: Berlin\nID:   BER\n',
    wide: 'City: Berlin\nID:   BER\n',
    cards: 'City: Berlin\nID:   BER\n',
    tsv: 'location.city\tBerlin\nid\tBER\n',
    csv: 'field,value\nlocation.city,Berlin\nid,BER\n',
    json: json({ location: { city: 'Berlin' }, id: 'BER' }),
    ndjson: '{"location":{"city":"Berlin"},"id":"BER"}\n',
    yaml: 'location:\n  city: Berlin\nid: BER\n',
    md: '| Field | Value |\n| --- | --- |\n| City | Berlin |\n| ID | BER |\n',
  };

  test.each(formats)('are the only output as %s', async (format) => {
    const { out, shown } = desk({ format, view: chosen });

    await out.record(properties, berlin);

    expect(shown()).toEqual({ stdout: shownAs[format], stderr: '' });
  });

  test.each(formats)('also select from the result of a write, as %s', async (format) => {
    const { out, shown } = desk({ format, view: chosen });
    const isText = ['table', 'wide', 'cards', 'tsv', 'md'].includes(format);

    await out.done('Created BER.', berlin);

    expect(shown()).toEqual({
      stdout: shownAs[format].replace(/\bID\b/, 'Id'),
      stderr: isText ? 'Created BER.\n' : '',
    });
  });
});

test('selected fields replace the line of a result', async () => {
  const [tsv, json] = [
    desk({ view: { fields: ['count'] } }),
    desk({ format: 'json', view: { fields: ['count'] } }),
  ];

  await tsv.out.line('three', { count: 3, more: 1 });
  await json.out.line('three', { count: 3, more: 1 });

  expect([tsv.shown().stdout, json.shown().stdout]).toEqual(['count\t3\n', '{"count":3}\n']);
});

describe('selected fields of a response', () => {
  const answer = { count: 2, items: [{ id: 'BER', rooms: 3 }, { rooms: 4 }] };

  test.each([
    ['tsv', json({ count: 2, items: [{ id: 'BER' }, { id: null }] })],
    ['json', json({ count: 2, items: [{ id: 'BER' }, { id: null }] })],
    ['ndjson', '{"id":"BER"}\n{"id":null}\n'],
    ['yaml', 'count: 2\nitems:\n  - id: BER\n  - id: null\n'],
  ] as const)('select from its entries without renaming, as %s', async (format, stdout) => {
    const { out, shown } = desk({ format, view: { fields: ['id'] } });

    await out.document(answer);

    expect(shown().stdout).toBe(stdout);
  });

  test('select from all pages, and from the body only when headers are included', async () => {
    const { out, shown } = desk({ format: 'json', view: { fields: ['id'] } });

    await out.document([{ id: 'BER', rooms: 3 }], { more: oneMore([{ id: 'MUC', rooms: 4 }]) });
    await out.document({ id: 'VIE', rooms: 5 }, { head: { status: 200, headers: {} } });

    expect(shown().stdout).toBe(
      json([{ id: 'BER' }, { id: 'MUC' }]) + json({ status: 200, headers: {}, body: { id: 'VIE' } }),
    );
  });
});

async function* oneMore(entries: readonly unknown[]): AsyncIterable<readonly unknown[]> {
  yield entries;
}

async function* pagesAfterAnEmptyOne() {
  yield { items: [], total: 2, truncated: false };
  yield { items: [hotel, munich], total: 2, truncated: false };
}
