import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Choice, Interruption, type Prompter } from '../../src/cli/ports.ts';
import { createPlainPrompter } from '../../src/print/plain-prompter.ts';

/** A prompter with this text as its input, and its output; `<true>` and `<false>` mark changes of raw mode. */
function prompterFor(typed: string | Uint8Array) {
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => shown.push(`<${isRaw}>`),
  });
  const shown: string[] = [];
  const stop = new AbortController();
  const output = { write: (text: string) => shown.push(text) };
  input.write(typed);
  return {
    prompter: createPlainPrompter({ input, output, signal: stop.signal }),
    input,
    stop,
    shown: () => shown.join(''),
  };
}

/** Prompts once and returns the answer and the output. */
async function promptOnce<Answer>(
  typed: string | Uint8Array,
  question: (prompter: Prompter) => Promise<Answer>,
) {
  const { prompter, shown } = prompterFor(typed);
  return { answer: await question(prompter), shown: shown() };
}

const hotels: readonly Choice[] = [
  { value: 'BER', label: 'BER  Grand Hotel' },
  { value: 'MUC', label: 'MUC  Alpenhof' },
  { value: 'VIE', label: 'VIE  Grand Ring \u001b[31m' },
];

const list = '  1. BER  Grand Hotel\n  2. MUC  Alpenhof\n  3. VIE  Grand Ring \\u{1b}[31m\n';

/** This many entries: R1, R2 and so on. */
function rooms(count: number): readonly Choice[] {
  return Array.from({ length: count }, (_, index) => ({
    value: `R${index + 1}`,
    label: `Room ${index + 1}`,
  }));
}

describe('a text prompt', () => {
  test('returns the typed text with its blanks', async () => {
    expect(await promptOnce(' Ana \n', ({ text }) => text('Name'))).toEqual({
      answer: ' Ana ',
      shown: 'Name: ',
    });
  });

  test('shows the default in brackets, and takes it at Enter', async () => {
    expect(
      await promptOnce('\n', ({ text }) => text('Time zone', { initial: 'Europe/Vienna\u001b' })),
    ).toEqual({
      answer: 'Europe/Vienna\u001b',
      shown: 'Time zone [Europe/Vienna\\u{1b}]: ',
    });
  });

  test('repeats with the reason until the answer is valid', async () => {
    const check = (answer: string) =>
      answer.includes('@') ? undefined : `"${answer}" is no e-mail\u001b address.`;

    expect(await promptOnce('mia\n\nmia@example.com\n', ({ text }) => text('E-mail', { check }))).toEqual({
      answer: 'mia@example.com',
      shown:
        'E-mail: Invalid: "mia" is no e-mail\\u{1b} address.\n' +
        'E-mail: Invalid: "" is no e-mail\\u{1b} address.\n' +
        'E-mail: ',
    });
  });

  test.each(['\u001b[A', 'a\tb', '\u0000'])('rejects control characters: %j', async (typed) => {
    const { answer, shown } = await promptOnce(`${typed}\nAna\n`, ({ text }) => text('Name'));

    expect({ answer, shown }).toEqual({
      answer: 'Ana',
      shown:
        'Name: Invalid: The answer has control characters, as an arrow key types them; type it again.\nName: ',
    });
  });

  test('takes input chunks that split a multibyte character', async () => {
    const { prompter, input } = prompterFor(Uint8Array.of(0x4d, 0xc3));
    const answer = prompter.text('City');

    input.write(Uint8Array.of(0xbc));
    input.write('nchen\r\n');

    expect(await answer).toBe('München');
  });

  test('takes input typed before the prompt', async () => {
    const { prompter, input } = prompterFor('Ana\nBen\nm');

    const first = await prompter.text('First');
    const second = await prompter.text('Second');
    input.write('ia\n');

    expect([first, second, await prompter.text('Third')]).toEqual(['Ana', 'Ben', 'mia']);
  });
});

describe('a secret prompt', () => {
  test('hides the typed text', async () => {
    expect(await promptOnce('s3cret\r', ({ secret }) => secret('Client secret'))).toEqual({
      answer: 's3cret',
      shown: '<true>Client secret (hidden): <false>\n',
    });
  });

  test.each([
    { keys: 'backspace', typed: 'abü\u007f\u007fc\r', answer: 'ac' },
    { keys: 'more backspaces than letters', typed: 'a\b\b\bb\r', answer: 'b' },
    { keys: '^U', typed: 'wrong\u0015right\r', answer: 'right' },
    { keys: '^D after a letter', typed: 'a\u0004b\n', answer: 'ab' },
  ])('handles $keys', async ({ typed, answer }) => {
    expect((await promptOnce(typed, ({ secret }) => secret('Secret'))).answer).toBe(answer);
  });

  test('checks the answer, and leaves further input to the next prompt', async () => {
    const { prompter } = prompterFor('short\rlong enough\r' + 'Ana\n');
    const check = (answer: string) => (answer.length > 5 ? undefined : 'That is too short.');

    expect([await prompter.secret('Secret', { check }), await prompter.text('Name')]).toEqual([
      'long enough',
      'Ana',
    ]);
  });

  test.each([
    { keys: '^C', typed: 'half\u0003' },
    { keys: '^D', typed: '\u0004' },
    { keys: '^D after all letters are deleted', typed: 'a\u007f\u0004' },
  ])('is interrupted by $keys, and the terminal leaves raw mode', async ({ typed }) => {
    const { prompter, shown } = prompterFor(typed);

    await expect(prompter.secret('Secret')).rejects.toEqual(new Interruption('SIGINT'));
    expect(shown()).toBe('<true>Secret (hidden): <false>\n');
  });
});

describe('a confirmation prompt', () => {
  test.each([
    { typed: '', answer: false },
    { typed: 'n', answer: false },
    { typed: 'No', answer: false },
    { typed: 'y', answer: true },
    { typed: ' YES ', answer: true },
  ])('takes "$typed" as $answer', async ({ typed, answer }) => {
    expect(await promptOnce(`${typed}\n`, ({ confirm }) => confirm('Withdraw it?'))).toEqual({
      answer,
      shown: 'Withdraw it? [y/N] ',
    });
  });

  test('repeats after an answer that only starts like yes', async () => {
    expect(await promptOnce('yep\nn\n', ({ confirm }) => confirm('Withdraw it?'))).toEqual({
      answer: false,
      shown: 'Withdraw it? [y/N] Invalid: Answer yes or no, y or n; Enter alone is no.\nWithdraw it? [y/N] ',
    });
  });
});

describe('a choice of one entry', () => {
  const ask = 'Number, name, or a part of it: ';

  test.each([
    { by: 'its number', typed: '2' },
    { by: 'its value', typed: 'MUC' },
    { by: 'its value in another case', typed: 'muc' },
    { by: 'its label', typed: 'muc  alpenhof' },
  ])('takes an entry by $by', async ({ typed }) => {
    expect(await promptOnce(`${typed}\n`, ({ choose }) => choose('Property', hotels))).toEqual({
      answer: 'MUC',
      shown: `Property\n${list}${ask}`,
    });
  });

  test('filters by a part of a name and keeps the numbers', async () => {
    expect(await promptOnce('grand\n3\n', ({ choose }) => choose('Property', hotels))).toEqual({
      answer: 'VIE',
      shown: `Property\n${list}${ask}  1. BER  Grand Hotel\n  3. VIE  Grand Ring \\u{1b}[31m\nNothing chosen yet: type a number.\n${ask}`,
    });
  });

  test('does not choose by a part of a name, even a unique one', async () => {
    expect(await promptOnce('alp\n2\n', ({ choose }) => choose('Property', hotels))).toEqual({
      answer: 'MUC',
      shown: `Property\n${list}${ask}  2. MUC  Alpenhof\nNothing chosen yet: type 2.\n${ask}`,
    });
  });

  test('repeats after an unknown entry', async () => {
    expect(await promptOnce('\n0\n4\nXYZ\u001b\n1\n', ({ choose }) => choose('Property', hotels))).toEqual({
      answer: 'BER',
      shown:
        `Property\n${list}${ask}Invalid: Type the number or the name of an entry.\n` +
        `${ask}Invalid: No entry is called "0".\n` +
        `${ask}Invalid: No entry is called "4".\n` +
        `${ask}Invalid: No entry is called "XYZ\\u001b".\n${ask}`,
    });
  });

  test('takes the default at Enter', async () => {
    expect(await promptOnce('\n', ({ choose }) => choose('Property', hotels, { initial: 'MUC' }))).toEqual({
      answer: 'MUC',
      shown: `Property\n${list}Number, name, or a part of it [MUC  Alpenhof]: `,
    });
  });

  test('shows a part of a long list and finds entries beyond it', async () => {
    const { answer, shown } = await promptOnce('room 499\n', ({ choose }) => choose('Room', rooms(500)));

    expect({ answer, lines: shown.split('\n').slice(19) }).toEqual({
      answer: 'R499',
      lines: [
        '  19. Room 19',
        '  20. Room 20',
        '  ... and 480 more; type a part of a name to see fewer.',
        ask,
      ],
    });
  });

  test.each([
    { typed: '2', answer: 'B' },
    { typed: '#1', answer: '2' },
    { typed: '=2', answer: '2' },
    { typed: '=1', answer: 'B' },
  ])('repeats when a number is also a name: $typed', async ({ typed, answer }) => {
    const choices = [
      { value: '2', label: 'second street' },
      { value: 'B', label: 'B' },
    ];

    const result = await promptOnce(`${typed}\n#2\n`, ({ choose }) => choose('Property', choices));

    const problem =
      '"2" is the number of one entry and the name of another: type #2 for the number, =2 for the name.';
    expect({ answer: result.answer, isReported: result.shown.includes(problem) }).toEqual({
      answer,
      isReported: typed === '2',
    });
  });

  test('repeats after a name of two entries', async () => {
    const choices = [
      { value: 'ber', label: 'one' },
      { value: 'BER', label: 'other' },
    ];

    expect(await promptOnce('Ber\nBER\n', ({ choose }) => choose('Property', choices))).toEqual({
      answer: 'BER',
      shown: `Property\n  1. one\n  2. other\n${ask}  1. one\n  2. other\nNothing chosen yet: type a number.\n${ask}`,
    });
  });
});

describe('a choice of several entries', () => {
  const ask = 'Toggle by number or name, as in 1,2; Enter ends: ';

  test('toggles entries by number and name until Enter', async () => {
    expect(
      await promptOnce('3, ber\nVIE,2,\n\n', ({ chooseSeveral }) => chooseSeveral('Properties', hotels)),
    ).toEqual({
      answer: ['BER', 'MUC'],
      shown: `Properties\n${list}Chosen: none.\n${ask}Chosen: BER, VIE.\n${ask}Chosen: BER, MUC.\n${ask}`,
    });
  });

  test('marks preselected entries', async () => {
    const typed = 'grand\n\n';

    expect(
      await promptOnce(typed, ({ chooseSeveral }) =>
        chooseSeveral('Properties', hotels, { chosen: ['VIE'] }),
      ),
    ).toEqual({
      answer: ['VIE'],
      shown:
        'Properties\n  1. BER  Grand Hotel\n  2. MUC  Alpenhof\n  3. VIE  Grand Ring \\u{1b}[31m (chosen)\n' +
        `Chosen: VIE.\n${ask}` +
        '  1. BER  Grand Hotel\n  3. VIE  Grand Ring \\u{1b}[31m (chosen)\n' +
        `Nothing changed: type a number.\nChosen: VIE.\n${ask}`,
    });
  });

  test('does not toggle by a part of a name, even a unique one', async () => {
    expect(await promptOnce('alp\n\n', ({ chooseSeveral }) => chooseSeveral('Properties', hotels))).toEqual({
      answer: [],
      shown:
        `Properties\n${list}Chosen: none.\n${ask}  2. MUC  Alpenhof\n` +
        `Nothing changed: type 2.\nChosen: none.\n${ask}`,
    });
  });

  test('ignores an answer with an invalid part', async () => {
    expect(await promptOnce('1,X,Y\n\n', ({ chooseSeveral }) => chooseSeveral('Properties', hotels))).toEqual(
      {
        answer: [],
        shown:
          `Properties\n${list}Chosen: none.\n${ask}` +
          `Invalid: No entry is called "X". No entry is called "Y".\nChosen: none.\n${ask}`,
      },
    );
  });

  test('takes names with commas', async () => {
    const choices = [
      { value: 'a', label: 'Berlin, Mitte' },
      { value: 'b', label: 'Mitte' },
    ];

    const { answer } = await promptOnce('Berlin, Mitte\n\n', ({ chooseSeveral }) =>
      chooseSeveral('Areas', choices),
    );

    expect(answer).toEqual(['a']);
  });

  test('truncates a long list of chosen entries', async () => {
    const chosen = rooms(500).map(({ value }) => value);

    const { answer, shown } = await promptOnce('\n', ({ chooseSeveral }) =>
      chooseSeveral('Rooms', rooms(500), { chosen }),
    );

    expect({ answer, summary: shown.split('\n').at(-2) }).toEqual({
      answer: chosen,
      summary: `Chosen: ${chosen.slice(0, 20).join(', ')} and 480 more.`,
    });
  });
});

describe('a prompt without an answer', () => {
  test('is interrupted at the end of the input', async () => {
    const { prompter, input, shown } = prompterFor('half a word');
    input.end();

    await expect(prompter.text('Name')).rejects.toEqual(new Interruption('SIGINT'));
    await expect(prompter.text('Name')).rejects.toEqual(new Interruption('SIGINT'));
    expect(shown()).toBe('Name: \nName: \n');
  });

  test('is interrupted when the run is aborted, before the prompt or during it', async () => {
    const { prompter, stop } = prompterFor('');
    const open = prompter.confirm('Withdraw it?');

    stop.abort(new Interruption('SIGTERM'));

    await expect(open).rejects.toEqual(new Interruption('SIGTERM'));
    await expect(prompter.choose('Property', hotels)).rejects.toEqual(new Interruption('SIGTERM'));
  });

  test('fails when the terminal is gone', async () => {
    const { prompter, input } = prompterFor('');
    const open = prompter.text('Name');

    input.destroy(new Error('read EIO'));

    await expect(open).rejects.toThrow('read EIO');
    await expect(prompter.text('Name')).rejects.toEqual(new Interruption('SIGINT'));
  });

  test('removes its listener and pauses the input after an answer', async () => {
    const { prompter, input } = prompterFor('Ana\n');

    await prompter.text('Name');

    expect({ listeners: input.listenerCount('data'), isFlowing: input.readableFlowing }).toEqual({
      listeners: 0,
      isFlowing: false,
    });
  });
});
