import { describe, expect, test } from 'vitest';
import { keys } from '../helpers/terminal.ts';
import { person } from './person.ts';

const { enter: ENTER, ctrlC: CTRL_C, ctrlD: CTRL_D } = keys;

describe('the prompter at a real terminal', () => {
  test('asks every kind of question on stderr and leaves stdout to the answers', async () => {
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

  test.each([
    { keys: '^C', typed: CTRL_C },
    { keys: '^D', typed: CTRL_D },
  ])('$keys rejects with an interruption instead of answering', async ({ typed }) => {
    const ben = await person('confirm');

    await ben.sees('y/N');
    ben.types(typed);

    expect(await ben.leaves()).toMatchObject({ exitCode: 130, stdout: 'interrupted by SIGINT' });
  });

  test('an open question is given up when the run is asked to end', async () => {
    const ben = await person('secret');

    await ben.sees('Client secret');
    ben.terminates();

    expect(await ben.leaves()).toMatchObject({ exitCode: 130, stdout: 'interrupted by SIGTERM' });
  });

  test('^C at a second question interrupts it although the first was answered', async () => {
    const ben = await person('confirm', 'choose');

    await ben.sees('y/N');
    ben.types(`y${ENTER}`);
    await ben.sees('BER Grand Hotel Berlin');
    ben.types(CTRL_C);

    expect(await ben.leaves()).toMatchObject({ exitCode: 130, stdout: 'interrupted by SIGINT' });
  });
});
