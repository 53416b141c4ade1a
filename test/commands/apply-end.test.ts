import { describe, expect, test } from 'vitest';
import { endOf } from '../../src/change/end.ts';
import { itemFor } from '../../src/change/item.ts';
import type { Result } from '../../src/change/item-json.ts';
import { CliError, OutcomeUnknown } from '../../src/cli/errors.ts';
import { ExitCode } from '../../src/cli/exit-codes.ts';

const again = 'innctl apply seed.yaml';
const fix = `Fix the rejected rows, then: ${again}`;
const item = itemFor({ kind: 'property', name: 'BER' }, 'create');

/** A row that failed with an error of this exit code and hint. */
const failed = (hint: string | undefined, exitCode: ExitCode = ExitCode.forbidden): Result => ({
  item,
  outcome: 'failed',
  error: new CliError('forbidden', 'No.', { exitCode, hint }),
});

describe('the error at the end of a run contains the hints of its forbidden rows:', () => {
  test.each<[string, readonly Result[], readonly string[]]>([
    ['each hint once', [failed('A'), failed('B'), failed('A')], ['A', 'B']],
    ['if the first row has none', [failed(undefined), failed('B')], ['B']],
    ['three hints at most', ['A', 'B', 'C', 'D'].map((hint) => failed(hint)), ['A', 'B', 'C']],
    ['none if no row has one', [failed(undefined)], []],
    ['none of other failed rows', [failed('Did you mean VIE?', ExitCode.refused), failed('B')], ['B']],
  ])('%s', (_, results, hints) => {
    expect(
      endOf({ results }, { interruption: undefined, again, settling: { line: again }, fix }),
    ).toMatchObject({
      code: 'partly_done',
      exitCode: ExitCode.partlyDone,
      hint: [...hints, fix].join('\n'),
    });
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
