import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ClosedPipe } from '../../src/model/errors.ts';
import type { Pager, Sink } from '../../src/model/ports.ts';
import type { Page } from '../../src/model/records.ts';
import { formats } from '../../src/print/output.ts';
import { printPaged } from '../../src/print/pager.ts';
import { screenOf } from '../../src/print/streams.ts';
import { berlin, desk, munich, onePage, properties, twoPages } from './desk.ts';

describe('a list on a stdout that is not a terminal', () => {
  test('is tab-separated rows without a header, one write per page', async () => {
    const { out, writes, shown } = desk();

    await out.records(properties, twoPages());

    expect(writes).toEqual([
      'BER\tGrand Hotel\tBerlin\tfalse\t2026-10-11T09:00:00Z\n',
      'MUC\tAlpenhof\t\ttrue\t\n',
    ]);
    expect(shown().stderr).toBe('');
  });

  test('shows ids with their roles, the first language without English, and other objects as JSON', async () => {
    const { out, shown } = desk();
    const columns = ['properties', 'placed', 'name', 'bank', 'flags', 'stars'].map(
      (field) => ({ field, header: field, format: 'language' }) as const,
    );

    await out.records(
      { noun: ['user', 'users'], columns },
      onePage([
        {
          properties: [{ id: 'BER' }, 'MUC', { code: 'VIE' }],
          placed: [
            { id: 'BER', roles: ['Auditor', 'FrontDesk'] },
            { id: 'MUC', roles: [] },
            'VIE',
            { id: 7 },
          ],
          name: { de: 'Alpenhof' },
          bank: { open: true },
          flags: [],
          stars: 4,
        },
      ]),
    );

    expect(shown().stdout).toBe(
      'BER, MUC, {"code":"VIE"}\tBER: Auditor, FrontDesk; MUC: none; VIE; {"id":7}\tAlpenhof\t{"open":true}\t\t4\n',
    );
  });
});

describe('a list as JSON', () => {
  test('is one document with the count reported by the service', async () => {
    const { out, writes } = desk({ format: 'json', terminal: true });

    await out.records(properties, twoPages({ total: 250, truncated: true }));

    expect(writes).toEqual([
      `${JSON.stringify({ count: 250, has_more: true, items: [berlin, munich] }, undefined, 2)}\n`,
    ]);
  });
});

describe('top-level fields beside a list', () => {
  const stated = {
    json: `${JSON.stringify({ run: 7, count: 2, items: [berlin, munich] }, undefined, 2)}\n`,
    yaml: expect.stringMatching(/^run: 7\ncount: 2\nitems:\n {2}- id: BER\n/),
  };

  test.each(['json', 'yaml'] as const)('are part of the document as %s', async (format) => {
    const { out, shown } = desk({ format });

    await out.records(properties, twoPages(), { run: 7 });

    expect(shown()).toEqual({ stdout: stated[format], stderr: '' });
  });

  test('cannot override count and items', async () => {
    const { out, shown } = desk({ format: 'json' });

    await out.records(properties, onePage([munich]), { count: 9, items: [] });

    expect(JSON.parse(shown().stdout)).toEqual({ count: 1, items: [munich] });
  });
});

describe('an empty list', () => {
  const documents = {
    table: '',
    wide: '',
    cards: '',
    json: '{\n  "count": 0,\n  "items": []\n}\n',
    ndjson: '',
    csv: 'id,name,location.city,is_archived,created\n',
    tsv: '',
    yaml: 'count: 0\nitems: []\n',
    md: '',
  };
  const sentences = {
    table: 'No properties.\n',
    wide: 'No properties.\n',
    cards: 'No properties.\n',
    json: '',
    ndjson: 'No properties.\n',
    csv: 'No properties.\n',
    tsv: 'No properties.\n',
    yaml: '',
    md: 'No properties.\n',
  };

  test.each(formats)(
    'as %s prints an empty document on stdout, and a sentence on the stderr of a terminal',
    async (format) => {
      const onTerminal = desk({ format, terminal: true });
      const inPipe = desk({ format });

      await onTerminal.out.records(properties, onePage([]));
      await inPipe.out.records(properties, onePage([]));

      expect(onTerminal.shown()).toEqual({ stdout: documents[format], stderr: sentences[format] });
      expect(inPipe.shown()).toEqual({ stdout: documents[format], stderr: '' });
    },
  );

  test('of a page beyond the end says so', async () => {
    const { out, shown } = desk({ terminal: true });

    await out.records(properties, onePage([], { total: 3 }));

    expect(shown()).toEqual({ stdout: '', stderr: 'No properties on this page; there are 3 in all.\n' });
  });
});

describe('a truncated list', () => {
  test.each(formats)('is reported on the stderr of a terminal as %s', async (format) => {
    const { out, shown } = desk({ format, terminal: true });

    await out.records(properties, twoPages({ total: 250, truncated: true }));

    expect(shown().stderr).toBe('Showing 2 of 250 properties; without --limit all are listed.\n');
  });

  test('is reported also when the total is unknown', async () => {
    const { out, shown } = desk({ terminal: true });

    await out.records(properties, onePage([munich], { total: undefined, truncated: true }));

    expect(shown().stderr).toBe(
      'Showing 1 properties, and there are more; without --limit all are listed.\n',
    );
  });
});

test('what a list amounts to is below it in Markdown, and on stderr elsewhere', async () => {
  const [md, tsv] = [desk({ format: 'md' }), desk()];
  const record = { id: 'BER', name: 'a | *b*\n<i>' };

  for (const { out } of [md, tsv])
    await out.records({ ...properties, outcome: '1 differs.' }, onePage([record]));

  const table = '| ID | Name |\n| --- | --- |\n| BER | a \\| \\*b\\*\\\\n\\<i> |\n';
  expect(md.shown()).toEqual({ stdout: `${table}\n1 differs.\n`, stderr: '' });
  expect(tsv.shown()).toEqual({ stdout: 'BER\ta | *b*\\n<i>\t\t\t\n', stderr: '1 differs.\n' });
});

describe('the result of a write', () => {
  const facts = { email: 'ana@example.com', deleted: true };
  const cases = {
    table: { stdout: '', stderr: 'Withdrew it.\n' },
    wide: { stdout: '', stderr: 'Withdrew it.\n' },
    cards: { stdout: '', stderr: 'Withdrew it.\n' },
    tsv: { stdout: '', stderr: 'Withdrew it.\n' },
    json: { stdout: '{\n  "email": "ana@example.com",\n  "deleted": true\n}\n', stderr: '' },
    ndjson: { stdout: '{"email":"ana@example.com","deleted":true}\n', stderr: '' },
    csv: { stdout: 'field,value\nemail,ana@example.com\ndeleted,true\n', stderr: '' },
    yaml: { stdout: 'email: ana@example.com\ndeleted: true\n', stderr: '' },
    md: { stdout: '', stderr: 'Withdrew it.\n' },
  };

  test.each(formats)('as %s is a sentence on stderr or data on stdout', async (format) => {
    const { out, shown } = desk({ format });

    await out.done('Withdrew it.', facts);

    expect(shown()).toEqual(cases[format]);
  });
});

test('a line is printed on stdout unchanged, and as data in machine-readable formats', async () => {
  const asTsv = desk({ format: 'tsv' });
  const inFacts = {
    json: '{"count":3}\n',
    ndjson: '{"count":3}\n',
    csv: 'field,value\ncount,3\n',
    yaml: 'count: 3\n',
  };

  await asTsv.out.line('POST /hotels\n\tBER', { count: 3 });

  expect(asTsv.shown()).toEqual({ stdout: 'POST /hotels\n\tBER\n', stderr: '' });
  for (const [format, stdout] of Object.entries(inFacts)) {
    // The keys are formats.
    const machineReadable = desk({ format: format as keyof typeof inFacts });
    await machineReadable.out.line('POST /hotels\n\tBER', { count: 3 });
    expect(machineReadable.shown()).toEqual({ stdout, stderr: '' });
  }
});

test('notes and warnings go to stderr in every format', async () => {
  const { out, shown } = desk({ format: 'json' });
  const coloured = desk({ colour: { stdout: false, stderr: true } });

  await out.note('Using profile sandbox.');
  await out.warn('The service counts 3.');
  await coloured.out.warn('The service counts 3.');

  expect(shown()).toEqual({
    stdout: '',
    stderr: 'Using profile sandbox.\nwarning: The service counts 3.\n',
  });
  expect(coloured.shown().stderr).toBe('\u001b[33mwarning:\u001b[39m The service counts 3.\n');
});

test('a closed stdout stops the pagination', async () => {
  const steps: string[] = [];
  async function* pages(): AsyncIterable<Page> {
    try {
      yield { items: [berlin], total: 2, truncated: false };
      steps.push('second page');
    } finally {
      steps.push('stopped');
    }
  }
  const closedPipe = async () => {
    throw new ClosedPipe();
  };
  const { out } = desk({ format: 'ndjson', write: closedPipe });

  await expect(out.records(properties, pages())).rejects.toThrow(ClosedPipe);

  expect(steps).toEqual(['stopped']);
});

test('what is written to stderr while a pager has the terminal follows when the pager is left', async () => {
  const events: string[] = [];
  const sink = (name: string): Sink => ({
    ...{ isTerminal: true, columns: 80, rows: 2 },
    write: async (text) => void events.push(`${name}: ${text.trimEnd()}`),
  });
  const stderr = screenOf(sink('stderr'));
  const pager: Pager = {
    write: (text) => setImmediate().then(() => sink('pager').write(text)),
    close: async () => void events.push('left'),
  };

  await printPaged(
    { stdout: sink('stdout'), stderr },
    async () => pager,
    async (out) => {
      await out.write('BER\nMUC\n');
      events.push('written');
      await stderr.write('One hotel more.\n');
      await out.write('VIE\n');
    },
  );

  expect(events).toEqual(['pager: BER\nMUC', 'written', 'pager: VIE', 'left', 'stderr: One hotel more.']);
});
