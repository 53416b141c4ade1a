import nock from 'nock';
import { describe, expect, test } from 'vitest';
import type { Prompter } from '../../src/model/ports.ts';
import { API, AUTH, apaleo, cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';
import { property } from '../helpers/records.ts';

const MUC = '/inventory/v1/properties/MUC';

const allowed = { action: 'Delete', isAllowed: true };
const reasons = [
  { code: 'DeleteNotAllowedForPropertyNotInStatusTest', message: 'The property is Live.' },
  { code: 'DeleteNotAllowedForNow', message: 'It has guests' },
];
const forbidden = { action: 'Delete', isAllowed: false, reasons };

/** Answers the read before the deletion. */
function answersRead(actions: unknown, changes: object = {}): void {
  nock(API, AUTH)
    .get(`${MUC}?languages=all&expand=actions`)
    .reply(200, { ...property, id: 'MUC', name: { de: 'Isarhotel', en: 'Isar Hotel' }, actions, ...changes });
}

function takesDeletion(): void {
  nock(API, AUTH)
    .delete(MUC, (body) => body === '')
    .reply(204);
}

const remove = (words: readonly string[] = ['--confirm', 'MUC', '--no-verify'], situation: Situation = {}) =>
  cli(['properties', 'delete', 'MUC', ...words], { env: apaleo, ...situation });

const done = { exitCode: 0, stdout: '', stderr: 'Deleted property MUC.\n' };

/** Records the prompt text and answers no. */
function declining(questions: string[]): Prompter {
  const text = async (question: string) => {
    questions.push(question);
    return 'no';
  };
  return { ...noPrompter, text };
}

describe('before a deletion with the dialect apaleo', () => {
  onlyIntercepted();

  test.each(['--dry-run', '--yes'])(
    'a property that cannot be deleted is rejected with the reasons of the service: %s',
    async (word) => {
      answersRead([{ action: 'Archive', isAllowed: true }, forbidden]);

      expect(await remove([word], { answers: [] })).toEqual(
        ended(
          6,
          `error: The service does not allow deleting property MUC now; nothing was sent.
  DeleteNotAllowedForPropertyNotInStatusTest: The property is Live.
  DeleteNotAllowedForNow: It has guests
`,
        ),
      );
    },
  );

  test('--json prints the codes of the reasons', async () => {
    answersRead([forbidden]);

    const { exitCode, stdout, stderr } = await remove(['--confirm', 'MUC', '--json']);

    expect({ exitCode, stdout, said: JSON.parse(stderr) }).toEqual({
      exitCode: 6,
      stdout: '',
      said: {
        error: {
          code: 'not_allowed',
          message: 'The service does not allow deleting property MUC now; nothing was sent.',
          details: reasons.map(({ code: field, message: reason }) => ({ field, reason })),
        },
      },
    });
  });

  test.each<[unknown, string]>([
    [undefined, 'now, without saying why; nothing was sent.\n'],
    [['Live', null], 'now, without saying why; nothing was sent.\n'],
    [[{ code: 'Live' }, { message: 'It is Live.' }], 'sent.\n  Delete: Live\n  Delete: It is Live.\n'],
    [[{ code: 7, message: 'It\u001b[31m is\nLive.' }], 'Delete: It\\u{1b}[31m is\\nLive.\n'],
  ])('reasons in any format are printed as far as possible: %j', async (given, message) => {
    answersRead([{ ...forbidden, reasons: given }]);

    expect(await remove()).toEqual(ended(6, expect.stringContaining(message)));
  });

  test('an excessive list of reasons is truncated', async () => {
    const endless = Array.from({ length: 1_000 }, () => ({
      code: 'x'.repeat(500),
      message: 'y'.repeat(5_000),
    }));
    answersRead([{ ...forbidden, reasons: endless }]);

    const { exitCode, stderr } = await remove();

    expect(exitCode).toBe(6);
    expect(stderr.split('\n')).toHaveLength(22);
    expect(stderr.length).toBeLessThan(22_000);
  });

  test.each<[string, unknown]>([
    ['the action is allowed, in other spelling', [{ action: 'delete', is_allowed: true }]],
    ['the action is not listed', [{ action: 'Archive', isAllowed: false }]],
    ['actions are a string', 'Delete'],
    [
      'actions have an unknown format',
      [null, 'Delete', { action: 'Delete', isAllowed: 'no' }, { isAllowed: false }],
    ],
  ])('the property is deleted if %s', async (_, actions) => {
    answersRead(actions);
    takesDeletion();

    expect(await remove()).toEqual(done);
  });

  test.each<[string, number, string | object, Record<string, string>]>([
    ['is forbidden', 403, {}, {}],
    ['returns an HTML page', 404, '<html><title>Gateway</title></html>', { 'content-type': 'text/html' }],
    ['returns another property', 200, { id: 'BER', actions: [forbidden] }, {}],
  ])('the deletion is sent if the read %s', async (_, status, body, headers) => {
    nock(API, AUTH)
      .get(`${MUC}?languages=all&expand=actions`)
      .times(status === 200 ? 5 : 1)
      .reply(status, body, headers);
    takesDeletion();

    expect(await remove()).toEqual(done);
  });

  test.each<[unknown, string]>([
    [{ de: 'Isarhotel' }, 'This deletes property MUC (Isarhotel).'],
    ['Isar Hotel', 'This deletes property MUC (Isar Hotel).'],
    ['Isar\u001b[31m\nHotel', 'This deletes property MUC (Isar\\u{1b}[31m\\nHotel).'],
    ['x'.repeat(100), `This deletes property MUC (${'x'.repeat(60)}…).`],
  ])('the prompt shows the name of the property: %j', async (name, sentence) => {
    const questions: string[] = [];
    answersRead([allowed], { name });

    const result = await remove([], { answers: [], prompter: declining(questions) });

    expect(result.exitCode).toBe(11);
    expect(questions).toEqual([`${sentence} Type MUC to confirm`]);
  });

  test('blocked deletions and invalid ids are rejected before the read', async () => {
    const blocked = await remove(undefined, { env: { ...apaleo, INNCTL_SAFETY: 'no-delete' } });
    const wrong = await cli(['properties', 'delete', 'a/b', '--confirm', 'a/b'], { env: apaleo });

    expect([blocked.exitCode, wrong.exitCode]).toEqual([11, 2]);
  });
});
