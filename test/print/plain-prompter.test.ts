import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Choice, Interruption, type Prompter } from '../../src/model/ports.ts';
import { createPlainPrompter } from '../../src/print/plain-prompter.ts';

/** A prompter with this text as its input, and its output; `<true>` and `<false>` mark changes of raw mode. */
function prompterFor(typed: string | Uint8Array) {
  const shown: string[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => shown.push(`<${isRaw}>`),
  });
  const output = new PassThrough().on('data', (text) => shown.push(String(text)));
  const stop = new AbortController();
  input.write(typed);
  return {
    prompter: createPlainPrompter({ input, output, signal: stop.signal }),
    input,
    stop,
    shown: () => shown.join(''),
  };
}

/** Prompts once and returns the answer and the output. Each line is typed when it is asked for, as at a terminal. */
async function promptOnce<Answer>(
  lines: readonly string[],
  question: (prompter: Prompter) => Promise<Answer>,
) {
  const { prompter, input, shown } = prompterFor('');
  const left = [...lines];
  input.on('resume', () => {
    const next = left.shift();
    if (next !== undefined) input.write(next);
  });
  return { answer: await question(prompter), shown: shown() };
}

const hotels: readonly Choice[] = [
  { value: 'BER', label: 'BER  Grand Hotel' },
  { value: 'MUC', label: 'MUC  Alpenhof' },
  { value: 'VIE', label: 'VIE  Grand Ring \u001b[31m' },
];

const list = '  1. BER  Grand Hotel\n  2. MUC  Alpenhof\n  3. VIE  Grand Ring \\u{1b}[31m\n';

describe('a text prompt', () => {
  test('returns the typed text with its blanks', async () => {
    expect(await promptOnce([' Ana \n'], ({ text }) => text('Name'))).toEqual({
      answer: ' Ana ',
      shown: 'Name: ',
    });
  });

  test('shows the default in brackets, and takes it at Enter', async () => {
    const initial = 'Europe/Vienna\u001b';

    expect(await promptOnce(['\n'], ({ text }) => text('Time zone', { initial }))).toEqual({
      answer: initial,
      shown: 'Time zone [Europe/Vienna\\u{1b}]: ',
    });
  });

  test('repeats with the reason until the answer is valid', async () => {
    const check = (answer: string) =>
      answer.includes('@') ? undefined : `"${answer}" is no e-mail\u001b address.`;
    const lines = ['mia\n', '\u001b[A\n', 'mia@example.com\n'];

    expect(await promptOnce(lines, ({ text }) => text('E-mail', { check }))).toEqual({
      answer: 'mia@example.com',
      shown:
        'E-mail: Invalid: "mia" is no e-mail\\u{1b} address.\n' +
        'E-mail: Invalid: The answer has control characters, as an arrow key types them; type it again.\n' +
        'E-mail: ',
    });
  });
});

describe('a secret prompt', () => {
  test('hides the typed text and its corrections', async () => {
    expect(await promptOnce(['s3crx\u007fet\r'], ({ secret }) => secret('Client secret'))).toEqual({
      answer: 's3cret',
      shown: '<true>Client secret (hidden): <false>\n',
    });
  });

  test.each([
    { keys: '^C', typed: 'half\u0003' },
    { keys: '^D', typed: '\u0004' },
  ])('is interrupted by $keys, and the terminal leaves raw mode', async ({ typed }) => {
    const { prompter, shown } = prompterFor(typed);

    await expect(prompter.secret('Secret')).rejects.toEqual(new Interruption('SIGINT'));
    expect(shown()).toBe('<true>Secret (hidden): <false>\n');
  });
});

test.each([
  { typed: '', answer: false },
  { typed: 'No', answer: false },
  { typed: 'y', answer: true },
  { typed: ' YES ', answer: true },
])('a confirmation takes "$typed" as $answer', async ({ typed, answer }) => {
  expect(await promptOnce(['yep\n', `${typed}\n`], ({ confirm }) => confirm('Withdraw it?'))).toEqual({
    answer,
    shown: 'Withdraw it? [y/N]: Invalid: Answer yes or no, y or n; Enter alone is no.\nWithdraw it? [y/N]: ',
  });
});

test.each(['MUC', '0', '4', '1.5', '-1', ''])(
  'one entry is chosen by its number, and not by "%s"',
  async (typed) => {
    expect(await promptOnce([`${typed}\n`, ' 2\n'], ({ choose }) => choose('Property', hotels))).toEqual({
      answer: 'MUC',
      shown: `Property\n${list}Number: Invalid: Type a number from 1 to 3.\nNumber: `,
    });
  },
);

test('the default of a choice is taken at Enter', async () => {
  expect(await promptOnce(['\n'], ({ choose }) => choose('Property', hotels, { initial: 'MUC' }))).toEqual({
    answer: 'MUC',
    shown: `Property\n${list}Number [2]: `,
  });
});

test.each([
  { typed: '3, 1', answer: ['BER', 'VIE'] },
  { typed: '', answer: ['VIE'] },
  { typed: '0', answer: [] },
])('several entries are chosen by "$typed"', async ({ typed, answer }) => {
  const lines = ['1,X\n', '2,4\n', `${typed}\n`];
  const ask = 'Numbers, as in 1,2, or 0 for none [3]: ';
  const refusal = 'Invalid: Type numbers from 1 to 3.\n';

  expect(
    await promptOnce(lines, ({ chooseSeveral }) => chooseSeveral('Properties', hotels, { chosen: ['VIE'] })),
  ).toEqual({ answer, shown: `Properties\n${list}${ask}${refusal}${ask}${refusal}${ask}` });
});

describe('a prompt without an answer', () => {
  test('is interrupted at the end of the input', async () => {
    const { prompter, input, shown } = prompterFor('');
    input.end();

    await expect(prompter.text('Name')).rejects.toEqual(new Interruption('SIGINT'));
    await expect(prompter.text('Name')).rejects.toEqual(new Interruption('SIGINT'));
    expect(shown()).toBe('Name: \n');
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
});
