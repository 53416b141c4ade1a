import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CliError, ClosedPipe, ExitCode } from '../../src/model/errors.ts';
import { Interruption } from '../../src/model/ports.ts';
import { renderProblem } from '../../src/print/problem.ts';
import { WireFailure } from '../../src/service/retry.ts';

const asText = { json: false, colour: false, held: [] };
const asJson = { ...asText, json: true };

const refused = new CliError('refused', 'Could not create the property: it exists.', {
  hint: 'Choose another code.',
  exitCode: ExitCode.refused,
  status: 422,
  requestId: 'r-17',
  details: [{ field: 'code', reason: 'is taken' }],
});

describe('an expected error', () => {
  test('prints a message, details, a hint and the request id', async () => {
    expect(await renderProblem(refused, asText)).toEqual({
      text: [
        'error: Could not create the property: it exists.',
        '  code: is taken',
        'hint: Choose another code.',
        'request id: r-17',
        '',
      ].join('\n'),
      exitCode: ExitCode.refused,
    });
  });

  test('is one object on one line under --json', async () => {
    const { text, exitCode } = await renderProblem(refused, asJson);

    expect(text).toMatch(/^\{.*\}\n$/);
    expect({ exitCode, ...JSON.parse(text) }).toEqual({
      exitCode: ExitCode.refused,
      error: {
        code: 'refused',
        message: 'Could not create the property: it exists.',
        hint: 'Choose another code.',
        status: 422,
        request_id: 'r-17',
        details: [{ field: 'code', reason: 'is taken' }],
      },
    });
  });

  test('omits missing fields, except for an empty list of details', async () => {
    const plain = new CliError('declined', 'Nothing was done.', { exitCode: ExitCode.blocked });

    expect(await renderProblem(plain, asJson)).toEqual({
      text: '{"error":{"code":"declined","message":"Nothing was done.","details":[]}}\n',
      exitCode: ExitCode.blocked,
    });
    expect(await renderProblem(plain, asText)).toEqual({
      text: 'error: Nothing was done.\n',
      exitCode: ExitCode.blocked,
    });
  });
});

describe('an unexpected error', () => {
  const bug = new TypeError('id is undefined', { cause: new Error('no record') });

  test('prints its stack and exits with 1', async () => {
    const { text, exitCode } = await renderProblem(bug, asText);

    expect(exitCode).toBe(ExitCode.failed);
    expect(text).toMatch(/^error: TypeError: id is undefined\n {4}at .*problem\.test\.ts/);
    expect(text).toContain('[cause]: Error: no record');
    expect(text).toMatch(/\nhint: This is a bug in innctl: please report it with this text\.\n$/);
  });

  test('has the code internal and its stack under --json', async () => {
    const { text } = await renderProblem(bug, asJson);

    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'internal',
        message: 'id is undefined',
        hint: 'This is a bug in innctl: please report it with this text.',
        details: [],
        stack: expect.stringMatching(/^TypeError: id is undefined\n {4}at /),
      },
    });
  });

  test.each(['BER', undefined, 17, Object.create(null)])('may be any thrown value', async (thrown) => {
    const shown = inspect(thrown);

    const people = await renderProblem(thrown, asText);
    const programs = await renderProblem(thrown, asJson);

    expect(people.text.split('\n')[0]).toBe(`error: ${shown}`);
    expect(JSON.parse(programs.text)).toMatchObject({
      error: { code: 'internal', message: shown, stack: shown },
    });
    expect([people.exitCode, programs.exitCode]).toEqual([ExitCode.failed, ExitCode.failed]);
  });
});

test.each([
  [new Interruption('SIGINT'), 'error: Interrupted by SIGINT.\n', ExitCode.interrupted],
  [new Interruption('SIGTERM'), 'error: Interrupted by SIGTERM.\n', ExitCode.terminated],
  [
    new WireFailure('reset', 'The connection broke.', { sent: true }),
    'error: The connection broke.\n',
    ExitCode.unavailable,
  ],
  [new ClosedPipe(), '', ExitCode.done],
] as const)('%s has its own message and exit code', async (error, text, exitCode) => {
  expect(await renderProblem(error, asText)).toEqual({ text, exitCode });
});

test('a transport failure keeps its code under --json', async () => {
  const failure = new WireFailure('connect-timeout', 'No connection within 10 s.', { sent: false });

  expect(await renderProblem(failure, asJson)).toEqual({
    text: '{"error":{"code":"connect_timeout","message":"No connection within 10 s.","details":[]}}\n',
    exitCode: ExitCode.unavailable,
  });
});
