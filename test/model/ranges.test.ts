import { describe, expect, test } from 'vitest';
import { expandNames, expandRange, foldRanges, mostNames } from '../../src/model/ranges.ts';
import { fc } from '../helpers/laws.ts';

describe('expandRange', () => {
  test.each([
    ['201..204', ['201', '202', '203', '204']],
    ['008..011', ['008', '009', '010', '011']],
    ['8..11', ['8', '9', '10', '11']],
    ['A.101..A.103', ['A.101', 'A.102', 'A.103']],
    ['Room 9..Room 10', ['Room 9', 'Room 10']],
    ['.1...3', ['.1', '.2', '.3']],
    ['Suite', ['Suite']],
    ['12345678901234567890..12345678901234567892', ['0', '1', '2'].map((end) => `1234567890123456789${end}`)],
  ])('%s has its names in order', (text, names) => {
    expect(expandRange(text)).toEqual(names);
  });

  test.each([
    ['228..201', '"228..201" is reversed: write 201..228'],
    ['1..1001', '"1..1001" has 1001 names, more than 1000'],
    ['001..1000', '"001..1000" has numbers of different lengths: pad both with zeros'],
    ['A101..110', '"A101..110" is not a range such as 201..228'],
    ['A101..B110', '"A101..B110" is not a range such as 201..228'],
    ['201..', '"201.." is not a range such as 201..228'],
    ['A1-A5', '"A1-A5" looks like a range: write A1..A5, or give one unit of that name as name'],
    ['201 .. 228', '"201 .. 228" is not a range such as 201..228'],
  ])('%s is refused', (text, problem) => {
    expect(expandRange(text)).toEqual({ problem });
  });

  test.each(['701-705', '701–705', '701 - 705', '701/705', '701 bis 705'])(
    '%s is a range to people',
    (text) => {
      const problem = `"${text}" looks like a range: write 701..705, or give one unit of that name as name`;

      expect(expandRange(text)).toEqual({ problem });
    },
  );

  test.each(['1-01', '701-701', '705-701', 'Suite A-1'])('%s is a name', (text) => {
    expect(expandRange(text)).toEqual([text]);
  });

  test('a range of the most names is accepted', () => {
    expect(expandRange(`1..${mostNames}`)).toHaveLength(mostNames);
  });
});

describe('expandNames', () => {
  test('lists by commas and ranges are one list', () => {
    expect(expandNames(['201..203, 301', 'Suite'])).toEqual(['201', '202', '203', '301', 'Suite']);
  });

  test.each([
    [['201..203,202'], 'has "202" twice'],
    [['201,,202'], 'a name is empty'],
    [['1..600', '1001..1401'], 'has more than 1000 names'],
    [['203..201'], '"203..201" is reversed: write 201..203'],
  ])('%j is refused', (texts, problem) => {
    expect(expandNames(texts)).toEqual({ problem });
  });
});

describe('foldRanges', () => {
  test.each([
    [['201', '202', '203'], ['201..203']],
    [
      ['201', '202'],
      ['201', '202'],
    ],
    [
      ['009', '010', '011', '12', '13', '14'],
      ['009..011', '12..14'],
    ],
    [['98', '99', '100', '101'], ['98..101']],
    [['098', '099', '100', '101'], ['098..101']],
    [
      ['A.1', 'A.2', 'A.3', 'B.4', 'B.5'],
      ['A.1..A.3', 'B.4', 'B.5'],
    ],
    [
      ['3', '2', '1'],
      ['3', '2', '1'],
    ],
    [
      ['1', '2', '2', '3', '4'],
      ['1', '2', '2..4'],
    ],
    [['997', '998', '999', '1000'].map((name) => `0${name}`), ['0997..0999', '01000']],
    [
      ['a..1', 'a..2', 'a..3'],
      ['a..1', 'a..2', 'a..3'],
    ],
    [[], []],
  ])('%j', (names, folded) => {
    expect(foldRanges(names)).toEqual(folded);
  });
});

describe('laws', () => {
  const prefix = fc.string({ unit: fc.constantFrom(...'A.0 9-\n💤'), maxLength: 4 });
  const number = fc.oneof(
    fc.integer({ min: 0, max: 1_200 }).map(String),
    fc.integer({ min: 0, max: 1_200 }).map((value) => String(value).padStart(3, '0')),
    fc.constantFrom('999999999999998', '9007199254740990', '00000000000000000998'),
  );
  /** Runs of names that count up, between other names. */
  const run = fc.tuple(prefix, number, fc.integer({ min: 1, max: 5 })).map(([before, from, length]) =>
    Array.from({ length }, (_, place) => {
      const next = String(BigInt(from) + BigInt(place));
      return before + next.padStart(from.length, '0');
    }),
  );
  const names = fc
    .array(run, { maxLength: 6 })
    .map((runs) => runs.flat().filter((name) => !name.includes('..') && !('problem' in expandRange(name))));

  test('what is folded expands to the same names', () => {
    fc.assert(
      fc.property(names, (given) => {
        const names = foldRanges(given).map(expandRange);

        expect(names.flatMap((expanded) => ('problem' in expanded ? [expanded.problem] : expanded))).toEqual(
          given,
        );
      }),
    );
  });

  test('folding never has more texts than names, and folding a range again changes nothing', () => {
    fc.assert(
      fc.property(names, (given) => {
        const folded = foldRanges(given);

        expect(folded.length).toBeLessThanOrEqual(given.length);
        expect(foldRanges(folded)).toEqual(folded);
      }),
    );
  });

  test('more names in a row than a range may have become several ranges', () => {
    const many = Array.from({ length: 2_002 }, (_, place) => String(place + 1));

    expect(foldRanges(many)).toEqual(['1..1000', '1001..2000', '2001', '2002']);
  });

  test('every text has names or a problem', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0129.Aa ,'), maxLength: 12 }), (text) => {
        const expanded = expandRange(text);

        expect('problem' in expanded ? expanded.problem.length : expanded.length).toBeGreaterThan(0);
      }),
    );
  });
});
