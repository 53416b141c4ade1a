import { describe, expect, test } from 'vitest';
import { endOf } from '../../src/change/end.ts';
import { itemFor, type Result } from '../../src/change/item.ts';
import { CliError, ExitCode, OutcomeUnknown } from '../../src/model/errors.ts';
import { ended } from '../helpers/ended.ts';
import { hotelEntry, hotelsYaml, seeding } from '../helpers/seeding.ts';

describe('flags are validated before files are read', () => {
  test.each([
    ['--concurrency', '0', '"0" is not a whole number from 1 to 64'],
    ['--concurrency', '', '"" is not a whole number from 1 to 64'],
    ['--max-rps', '0', '"0" is not a number from 0.01 to 1000'],
    ['--max-rps', '1001', '"1001" is not a number from 0.01 to 1000'],
    ['--max-changes', '-1', '"-1" is not a whole number from 0 to 1000000'],
    ['--allow-lockout', 'ana@', '"ana@" is not an e-mail address'],
    ['--plan', '', '"" is not the name of a file'],
    ['--run-id', 'two words', '"two words" must be 1 to 128 visible ASCII characters without blanks'],
    ['--progress', 'loud', '"loud" is not one of auto, bar, lines, jsonl, none'],
  ])('%s %j', async (flag, value, reason) => {
    const { innctl } = await seeding();

    expect(await innctl(['apply', 'missing.yaml', `${flag}=${value}`])).toEqual(
      ended(2, `error: ${flag}: ${reason}\n`),
    );
  });
});

test('without files it exits with 2', async () => {
  const { innctl } = await seeding();

  expect(await innctl('apply')).toMatchObject({ exitCode: 2, stdout: '' });
});

test('stdin cannot be both the plan and a manifest', async () => {
  const { innctl } = await seeding();

  expect(await innctl('apply - --plan -', { stdin: hotelsYaml('HAM') })).toEqual(
    ended(2, 'error: --plan - and a file - cannot both read stdin.\n'),
  );
});

test('a manifest from stdin needs --yes, because the prompt cannot read stdin', async () => {
  const { innctl, hotels } = await seeding();
  const stdin = hotelsYaml('HAM');

  expect((await innctl('apply -', { stdin, answers: [true] })).exitCode).toBe(11);
  expect((await innctl('apply - --yes', { stdin })).exitCode).toBe(0);
  expect(await hotels()).toContain('HAM');
});

describe('a plan over a limit exits with 11, and nothing is sent', () => {
  test.each([
    ['over the limit', '1', 11],
    ['exactly the limit', '2', 0],
  ])('--max-changes: %s', async (_, most, exitCode) => {
    const { file, innctl, writes } = await seeding();
    const path = await file('hotels.yaml', hotelsYaml('HAM', 'KIE'));

    const result = await innctl(['apply', path, '--yes', '--max-changes', most]);

    expect({ exitCode: result.exitCode, writes: writes.length }).toEqual({
      exitCode,
      writes: exitCode === 0 ? 2 : 0,
    });
  });

  test('--max-deletes', async () => {
    const { file, innctl, writes } = await seeding();
    const path = await file('hotels.yaml', hotelsYaml('HAM', 'KIE', 'LEI'));
    await innctl(['apply', path, '--yes']);
    await file('hotels.yaml', hotelsYaml('LEI'));

    const result = await innctl(['apply', path, '--yes', '--prune', '--max-deletes', '1']);

    expect(result).toEqual(
      ended(
        11,
        'error: The plan deletes or disables 2: that needs --max-deletes 2, not 1; nothing was sent.\n' +
          '  HAM: is deleted\n' +
          '  KIE: is deleted\n' +
          `hint: To review it: innctl plan ${path} --prune\n`,
      ),
    );
    expect(writes).toHaveLength(3);
  });
});

describe('guards', () => {
  test('block the whole run if a property is protected, and name each row', async () => {
    const { file, innctl, writes } = await seeding();
    const path = await file('hotels.yaml', hotelsYaml('HAM', 'KIE', 'LEI'));
    await innctl(['apply', path, '--yes']);
    const changed = ['HAM', 'KIE', 'LEI'].map((code) => hotelEntry(code, 'Süd GmbH')).join('');
    await file('hotels.yaml', `properties:\n${changed}`);

    const { exitCode, stderr } = await innctl(['apply', path, '--yes'], {
      env: { INNCTL_PROTECT: 'HAM,LEI' },
    });

    expect({ exitCode, writes: writes.length }).toEqual({ exitCode: 11, writes: 3 });
    expect(stderr).toContain('HAM is protected by HAM (INNCTL_PROTECT)');
    expect(stderr).toContain('LEI is protected by LEI (INNCTL_PROTECT)');
  });
});

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
