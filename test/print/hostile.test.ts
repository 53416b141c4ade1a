import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { formats } from '../../src/print/output.ts';
import { renderProblem } from '../../src/print/problem.ts';
import { desk, onePage, properties } from './desk.ts';

const names = [
  { attack: 'CSI', name: '\u001b[31;1mBER\u001b[2J' },
  { attack: 'OSC 8', name: '\u001b]8;;https://evil.example\u001b\\BER\u001b]8;;\u001b\\' },
  { attack: 'OSC 52', name: '\u001b]52;c;QkVS\u0007' },
  { attack: 'DCS', name: '\u001bP$q"p\u001b\\' },
  { attack: 'C1 CSI', name: '\u009b31m\u009d0;BER\u009c' },
  { attack: 'carriage return', name: 'MUC\rBER' },
  { attack: 'backspace', name: 'MUC\b\b\bBER' },
  { attack: 'bidi', name: '\u202eREB\u2066\u200f\u061c' },
  { attack: 'zero width', name: 'B\u200bE\u200dR\ufeff\u2060\u180e\u00ad' },
  { attack: 'lone surrogates', name: '\ud800BER\udfff' },
  { attack: 'tags', name: 'BER\u{e0001}\u{e0042}\u{e007f}' },
  { attack: 'separators', name: 'BER\u2028MUC\u2029\u0085' },
  { attack: 'forged rows', name: 'BER\nMUC\tVIE\n│ VIE │' },
];

const forbidden =
  /[^\P{Cc}\n\t]|\p{Cs}|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

describe.each(names)('a hotel named by $attack', ({ name }) => {
  const record = {
    id: name,
    name: { en: name, [name]: name },
    location: { city: [name] },
    [name]: { [name]: name },
  };

  test.each(formats)('cannot steer a terminal as %s', async (format) => {
    const { out, shown } = desk({ format, terminal: true, columns: 200 });

    await out.records(properties, onePage([record]));
    await out.record(properties, record);
    await out.done(`Created ${name}.`, record);
    await out.line(name, record);
    await out.note(name);
    await out.warn(name);

    expect(shown().stdout).not.toMatch(forbidden);
    expect(shown().stderr).not.toMatch(forbidden);
  });

  test('is one row of a table and of tsv', async () => {
    const table = desk({ format: 'table', terminal: true, columns: 300 });
    const tsv = desk({ format: 'tsv' });

    await table.out.records(properties, onePage([record]));
    await tsv.out.records(properties, onePage([record]));

    expect(table.shown().stdout.trimEnd().split('\n')).toHaveLength(5);
    expect(tsv.shown().stdout.split(/[\t\n]/)).toHaveLength(6);
  });

  test.each([false, true])('cannot steer a terminal in an error, json %s', async (json) => {
    const error = new CliError(name, name, {
      hint: name,
      requestId: name,
      details: [{ field: name, reason: name }],
    });
    const options = { json, colour: false, held: [] };

    expect((await renderProblem(error, options)).text).not.toMatch(forbidden);
    expect((await renderProblem(new Error(name), options)).text).not.toMatch(forbidden);
    expect((await renderProblem(name, options)).text).not.toMatch(forbidden);
  });
});
