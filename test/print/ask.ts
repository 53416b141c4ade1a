import { Interruption, type Prompter } from '../../src/model/ports.ts';
import { createInquirerPrompter } from '../../src/print/inquirer-prompter.ts';

/** A program that runs the prompts named by its arguments and prints the answers as one line of JSON. */
const hotels = [
  { value: 'BER', label: 'BER Grand Hotel Berlin' },
  { value: 'MUC', label: 'MUC Alpenhof' },
  { value: 'VIE', label: 'VIE Ringstrasse \u001b[31m' },
];

const manyHotels = Array.from({ length: 5_000 }, (_, index) => ({
  value: `H${index}`,
  label: `H${index}  Hôtel ${index} ${'lang '.repeat(index % 7 === 0 ? 40 : 1)}`,
}));

const longQuestion =
  'Which name does the property in Vienna get in English, if it has no other name for guests already?';

const questions: Readonly<Record<string, (prompter: Prompter) => Promise<unknown>>> = {
  text: ({ text }) =>
    text('E-mail', { check: (answer) => (answer.includes('@') ? undefined : 'That is no e-mail.') }),
  initial: ({ text }) => text('Time zone', { initial: 'Europe/Vienna' }),
  secret: ({ secret }) => secret('Client secret'),
  confirm: ({ confirm }) => confirm('Withdraw the invitation?'),
  long: ({ text }) => text(longQuestion, { initial: 'Grand Hotel Berlin' }),
  choose: ({ choose }) => choose('Property', hotels),
  chooseInitial: ({ choose }) => choose('Another property', hotels, { initial: 'MUC' }),
  chooseUnlisted: ({ choose }) => choose('Third property', hotels, { initial: 'HAM' }),
  chooseOfMany: ({ choose }) => choose('One of many', manyHotels),
  chooseSeveral: ({ chooseSeveral }) => chooseSeveral('Properties', hotels),
  chooseMore: ({ chooseSeveral }) => chooseSeveral('More properties', hotels, { chosen: ['MUC', 'HAM'] }),
  chooseSeveralOfMany: ({ chooseSeveral }) => chooseSeveral('Several of many', manyHotels),
};

const ending = new AbortController();
// Not `once`: inquirer's own handler exits the process when it is the only listener left.
process.on('SIGTERM', () => ending.abort(new Interruption('SIGTERM')));
const prompter = createInquirerPrompter({
  input: process.stdin,
  output: process.stderr,
  signal: ending.signal,
});

async function answers(names: readonly string[]): Promise<string> {
  const given = [];
  for (const name of names) given.push(await questions[name]?.(prompter));
  return JSON.stringify(given);
}

answers(process.argv.slice(2)).then(
  (json) => process.stdout.write(json),
  (error) => {
    const text = error instanceof Interruption ? `interrupted by ${error.signal}` : String(error);
    // Only a process that is still alive after the rejection can set its exit code.
    process.stdout.write(text, () => {
      process.exitCode = 130;
    });
  },
);
