import { describe, expect, test } from 'vitest';
import { entryOf, matching, windowAround } from '../../src/print/inquirer-prompter.ts';
import { keys } from '../helpers/terminal.ts';
import { person } from './person.ts';

const { enter: ENTER, space: SPACE, tab: TAB, ctrlC: CTRL_C, ctrlD: CTRL_D } = keys;
const [BACKSPACE, PAGE_UP, PAGE_DOWN] = ['\u007f', '\u001b[5~', '\u001b[6~'];

describe('the prompter at a real terminal', () => {
  test('prompts on stderr and leaves stdout to the answers', async () => {
    const ana = await person('text', 'initial', 'secret', 'confirm', 'choose', 'chooseSeveral');

    await ana.sees('E-mail');
    ana.types(`ana${ENTER}`);
    await ana.sees('That is no e-mail.');
    ana.types(`@example.com${ENTER}`);
    await ana.sees('Time zone');
    await ana.sees('Europe/Vienna');
    ana.types(ENTER);
    await ana.sees('Client secret');
    ana.types(`s3cret-of-ana${ENTER}`);
    await ana.sees('Withdraw the invitation?');
    await ana.sees('y/N');
    ana.types(ENTER);
    await ana.sees('Property');
    await ana.sees('VIE Ringstrasse \\u{1b}[31m');
    ana.types('p');
    await ana.sees('❯ MUC Alpenhof');
    ana.types(ENTER);
    await ana.sees('Properties');
    await ana.sees('VIE Ringstrasse');
    ana.types(' \u001b[B\u001b[B ');
    await ana.sees('VIE Ringstrasse');
    ana.types(ENTER);
    const { screen, stdout, exitCode } = await ana.leaves();

    expect({ exitCode, answers: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      answers: ['ana@example.com', 'Europe/Vienna', 's3cret-of-ana', false, 'MUC', ['BER', 'VIE']],
    });
    expect(screen).not.toContain('s3cret-of-ana');
    expect(screen).not.toContain('Ringstrasse \u001b[31m');
  });

  test('an open prompt is interrupted when the run is aborted', async () => {
    const ben = await person('secret');

    await ben.sees('Client secret');
    ben.terminates();

    expect(await ben.leaves()).toMatchObject({ exitCode: 130, stdout: 'interrupted by SIGTERM' });
  });

  test('the lines of a long question end at words', async () => {
    const ana = await person('long');

    await ana.sees('for guests already?\r\n (Grand Hotel Berlin)');
    ana.types(ENTER);

    expect(await ana.leaves()).toMatchObject({ exitCode: 0, stdout: '["Grand Hotel Berlin"]' });
  });

  test('a choice starts at the initial value, or at the first entry when it is not listed', async () => {
    const ana = await person('chooseInitial', 'chooseUnlisted');

    await ana.sees('❯ MUC Alpenhof');
    ana.types(ENTER);
    await ana.sees('Third property');
    await ana.sees('❯ BER Grand Hotel Berlin');
    ana.types(ENTER);

    expect(await ana.leaves()).toMatchObject({ exitCode: 0, stdout: '["MUC","BER"]' });
  });

  test('chosen entries stay chosen during a search', async () => {
    const ana = await person('chooseMore');

    await ana.sees('◉ MUC Alpenhof');
    await ana.sees('1 chosen');
    ana.types('ring');
    await ana.sees('❯◯ VIE Ringstrasse');
    await ana.sees('1 of 3');
    await ana.sees('1 chosen: MUC Alpenhof');
    ana.types(TAB);
    await ana.sees('❯◉ VIE Ringstrasse');
    ana.types(BACKSPACE.repeat(4));
    await ana.sees('◯ BER Grand Hotel Berlin');
    await ana.sees('2 chosen: MUC Alpenhof, VIE Ring');
    ana.types(ENTER);

    expect(await ana.leaves()).toMatchObject({ exitCode: 0, stdout: '[["MUC","VIE"]]' });
  });

  test('a blank in a search term does not toggle an entry', async () => {
    const ana = await person('chooseSeveral');

    await ana.sees('BER Grand Hotel Berlin');
    ana.types('muc alp');
    await ana.sees('❯◯ MUC Alpenhof');
    await ana.sees('0 chosen');
    ana.types(ENTER);
    await ana.sees('nothing chosen · type to search · tab toggles · enter confirms');
    ana.types(TAB);
    await ana.sees('1 chosen: MUC Alpenhof');
    ana.types(ENTER);

    expect(await ana.leaves()).toMatchObject({ exitCode: 0, stdout: '[["MUC"]]' });
  });

  test('a second Enter accepts the entries chosen before the search', async () => {
    const ana = await person('chooseMore');

    await ana.sees('1 chosen');
    ana.types(`ber${ENTER}`);
    await ana.sees('nothing chosen');
    ana.types(ENTER);

    expect(await ana.leaves()).toMatchObject({ exitCode: 0, stdout: '[["MUC"]]' });
  });

  test('an entry is deselected with the same key, and an empty choice is an answer', async () => {
    const ana = await person('chooseMore');

    await ana.sees('1 chosen');
    ana.types(keys.down + SPACE);
    await ana.sees('0 chosen');
    ana.types(ENTER);
    const { screen, stdout } = await ana.leaves();

    expect({ stdout, says: screen.includes('More properties none') }).toEqual({ stdout: '[[]]', says: true });
  });

  test('a search without a match cannot be submitted', async () => {
    const ana = await person('choose');

    await ana.sees('BER Grand Hotel Berlin');
    ana.types('xyz');
    await ana.sees('No entry matches.');
    ana.types(ENTER);
    ana.types(`${BACKSPACE.repeat(3)}alp`);
    await ana.sees('❯ MUC Alpenhof');
    ana.types(ENTER);

    expect(await ana.leaves()).toMatchObject({ exitCode: 0, stdout: '["MUC"]' });
  });

  test('thousands of entries can be searched and paged, and a long label stays on one line', async () => {
    const ana = await person('chooseOfMany', 'chooseSeveralOfMany');

    await ana.sees('❯ H0 ');
    ana.types('hotel 4998');
    await ana.sees('❯ H4998');
    await ana.sees('1 of 5000');
    ana.types(ENTER);
    await ana.sees('Several of many');
    ana.types(`${PAGE_DOWN}${SPACE}${PAGE_UP}${SPACE}h49`);
    await ana.sees('111 of 5000');
    await ana.sees('2 chosen: H0, H10');
    ana.types(TAB);
    await ana.sees('3 chosen');
    ana.types(ENTER);
    const { screen, stdout, exitCode } = await ana.leaves();

    expect({ exitCode, answers: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      answers: ['H4998', ['H0', 'H10', 'H49']],
    });
    expect(screen).toContain('…');
    expect(screen).not.toContain('lang '.repeat(30));
  });

  test.each([
    ['confirm', 'y/N'],
    ['choose', 'BER Grand Hotel Berlin'],
    ['chooseSeveral', 'BER Grand Hotel Berlin'],
  ])('^D and ^C interrupt %s', async (question, seen) => {
    for (const typed of [CTRL_C, CTRL_D]) {
      const ben = await person(question);

      await ben.sees(seen);
      ben.types(typed);

      expect(await ben.leaves()).toMatchObject({ exitCode: 130, stdout: 'interrupted by SIGINT' });
    }
  });
});

const labels = [
  'BD  Bangladesh',
  'MX  Mexiko',
  'DE  Germany',
  'SE  Sweden',
  'VIE  Hôtel an der Wien',
  'x $(touch x) [.*',
  'America/New_York',
  'BER  Grand Hotel · Berlin · Live',
];
const entries = labels.map((label) => entryOf({ value: label, label }));

test.each<[string, readonly string[]]>([
  ['', labels],
  ['  ', labels],
  ['de', ['DE  Germany', 'VIE  Hôtel an der Wien', 'BD  Bangladesh', 'SE  Sweden']],
  ['hotel', ['VIE  Hôtel an der Wien', 'BER  Grand Hotel · Berlin · Live']],
  ['ho\u0302tel ', ['VIE  Hôtel an der Wien', 'BER  Grand Hotel · Berlin · Live']],
  ['[.*', ['x $(touch x) [.*']],
  ['york', ['America/New_York']],
  ['america/new', ['America/New_York']],
  ['test berlin', []],
  ['xyz', []],
])(
  '%j finds labels with all its words: first that start with the first one, then words, then other matches',
  (term, found) => {
    expect(matching(entries, term).map(({ label }) => label)).toEqual(found);
  },
);

test('a label is escaped before it is drawn or searched', () => {
  expect(entryOf({ value: 'a', label: 'A\u001b[31m\u202e\nB' })).toEqual({
    value: 'a',
    label: 'A\\u{1b}[31m\\u{202e}\\nB',
    short: 'A\\u{1b}[31m\\u{202e}\\nB',
    folded: 'a\\u{1b}[31m\\u{202e}\\nb',
  });
});

test.each([
  ['BER  Grand Hotel: Berlin', 'BER'],
  ['City: Berlin  Mitte', 'City'],
  ['Europe/Berlin', 'Europe/Berlin'],
])('the short form of %j is %j', (label, short) => {
  expect(entryOf({ value: 'x', label }).short).toBe(short);
});

test.each([
  [0, 100, 10, 0],
  [50, 100, 10, 45],
  [99, 100, 10, 90],
  [2, 3, 10, 0],
  [0, 0, 10, 0],
])('the page with entry %i of %i and %i lines starts at %i', (active, count, lines, start) => {
  expect(windowAround(active, count, lines)).toBe(start);
});
