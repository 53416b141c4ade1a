import { expect, test } from 'vitest';
import { endOf } from '../../src/change/end.ts';
import { itemFor, type Result } from '../../src/change/item.ts';
import { CliError, OutcomeUnknown } from '../../src/model/errors.ts';
import { ExitCode } from '../../src/model/exit-codes.ts';

const again = 'innctl apply seed.yaml';
const fix = `Fix the rejected rows, then: ${again}`;
const item = itemFor({ kind: 'property', name: 'BER' }, 'create');

/** A forbidden row with this hint. */
const failed = (hint: string | undefined): Result => ({
  item,
  outcome: 'failed',
  error: new CliError('forbidden', 'No.', { exitCode: ExitCode.forbidden, hint }),
});

test('the hints of forbidden rows are among the details', () => {
  const results = [failed('Ask for A.'), failed('Ask for A.'), failed(undefined)];

  expect(
    endOf({ results }, { interruption: undefined, again, settling: { line: again }, fix }),
  ).toMatchObject({
    code: 'partly_done',
    exitCode: ExitCode.partlyDone,
    hint: fix,
    details: [{ reason: 'No. Ask for A.' }, { reason: 'No.' }],
  });
});

test('the hint for unknown rows is only the command, and its note is part of the message', () => {
  const unknown: Result = { item, outcome: 'unknown', error: new OutcomeUnknown('No answer came.') };
  const settling = { line: 'innctl apply - --yes --resend-unknown', note: 'It needs the same input.' };

  expect(endOf({ results: [unknown] }, { interruption: undefined, again, settling, fix })).toMatchObject({
    code: 'outcome_unknown',
    message: '1 of 1 row was not done: 1 unknown. It needs the same input.',
    hint: settling.line,
    details: [{ reason: 'No answer came.' }],
  });
});

test.each(['journal_failed', 'evidence_failed'])(
  'what stopped the run is said before its rows: %s',
  (code) => {
    const stoppedBy = new CliError(code, 'The disk is full.');
    const left: Result = {
      item,
      outcome: 'not_attempted',
      error: new CliError('not_attempted', 'It ended.'),
    };

    expect(
      endOf(
        { results: [left], stoppedBy },
        { interruption: undefined, again, settling: { line: again }, fix },
      ),
    ).toMatchObject({ code, message: 'The disk is full. 1 of 1 row was not done: 1 not attempted.' });
  },
);
