import { expect, test } from 'vitest';
import type { Check, Choice, Prompter } from '../../src/model/ports.ts';
import { redactedPrompter } from '../../src/print/streams.ts';

const SECRET = 's3cret-of-ana';

test('a secret is redacted in questions, labels and validation messages, but not in answers', async () => {
  const shown: string[] = [];
  const { text, secret, confirm, choose, chooseSeveral } = redactedPrompter(
    async () => recordingPrompter(SECRET, shown),
    (shownText) => shownText.replaceAll(SECRET, '[redacted]'),
  );
  const check = (answer: string) => `${answer} is no e-mail.`;
  const choices = [{ value: SECRET, label: `BER ${SECRET}` }];

  const answers = [
    await text(`E-mail of ${SECRET}`, { check, initial: 'ana@example.com' }),
    await secret(`Secret, not ${SECRET}`, { check }),
    await confirm(`Withdraw ${SECRET}?`),
    await choose(`Property of ${SECRET}`, choices),
    await chooseSeveral(`Properties of ${SECRET}`, choices),
  ];

  expect(answers).toEqual([SECRET, SECRET, true, SECRET, [SECRET]]);
  expect(shown).toEqual([
    'E-mail of [redacted]',
    'ana@example.com',
    '[redacted] is no e-mail.',
    'Secret, not [redacted]',
    '[redacted] is no e-mail.',
    'Withdraw [redacted]?',
    'Property of [redacted]',
    'BER [redacted]',
    'Properties of [redacted]',
    'BER [redacted]',
  ]);
});

test.each(['a\u202eb', 'two\nlines'])(
  'a default with control or invisible characters is not offered: %j',
  async (initial) => {
    const shown: string[] = [];
    const { text } = redactedPrompter(
      async () => recordingPrompter('Hotel', shown),
      (shownText) => shownText,
    );

    await text('Name', { check: () => undefined, initial });

    expect(shown).toEqual(['Name', 'accepted']);
  },
);

/** Answers every question with this text and records the output. */
function recordingPrompter(answer: string, shown: string[]): Prompter {
  const type = async (
    question: string,
    options: { readonly check?: Check | undefined; readonly initial?: string | undefined } = {},
  ) => {
    shown.push(question);
    if (options.initial !== undefined) shown.push(options.initial);
    shown.push(options.check?.(answer) ?? 'accepted');
    return answer;
  };
  const look = (question: string, choices: readonly Choice[] = []) =>
    shown.push(question, ...choices.map(({ label }) => label));
  return {
    text: type,
    secret: type,
    confirm: async (question) => look(question) > 0,
    choose: async (question, choices) => {
      look(question, choices);
      return choices[0]?.value ?? '';
    },
    chooseSeveral: async (question, choices) => {
      look(question, choices);
      return choices.map(({ value }) => value);
    },
  };
}
