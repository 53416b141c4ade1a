import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { Interruption, type Prompter } from '../../src/cli/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const MUC = '/inventory/v1/properties/MUC';
const apaleo = { ...hotels, INNCTL_DIALECT: 'apaleo', NO_COLOR: '1' };

const allowed = { action: 'Delete', isAllowed: true };
const reasons = [
  { code: 'DeleteNotAllowedForPropertyNotInStatusTest', message: 'The property is Live.' },
  { code: 'DeleteNotAllowedForNow', message: 'It has guests' },
];
const forbidden = { action: 'Delete', isAllowed: false, reasons };

/** The look before, and nothing else. */
function shows(actions: unknown, changes: object = {}): void {
  nock(API, AUTH)
    .get(`${MUC}?expand=actions`)
    .reply(200, { id: 'MUC', name: { de: 'Isarhotel', en: 'Isar Hotel' }, actions, ...changes });
}

function takesDeletion(): void {
  nock(API, AUTH)
    .delete(MUC, (body) => body === '')
    .reply(204);
}

const remove = (words: readonly string[] = ['--confirm', 'MUC', '--no-verify'], situation: Situation = {}) =>
  cli(['properties', 'delete', 'MUC', ...words], { env: apaleo, ...situation });

const done = { exitCode: 0, stdout: '', stderr: 'Deleted property MUC.\n' };

/** Keeps what is asked, and says no. */
function asking(questions: string[]): Prompter {
  const nobody = async () => {
    throw new Error('this question was not expected');
  };
  const text = async (question: string) => {
    questions.push(question);
    return 'no';
  };
  return { text, secret: nobody, confirm: nobody, choose: nobody, chooseSeveral: nobody };
}

describe('before a property is deleted with the dialect apaleo', () => {
  onlyIntercepted();

  test.each(['--confirm=MUC', '--dry-run', '--yes', '--color=never'])(
    'the service says whether it may be, and its reasons are told: %s',
    async (word) => {
      shows([{ action: 'Archive', isAllowed: true }, forbidden]);

      expect(await remove([word], { answers: [] })).toEqual({
        exitCode: 6,
        stdout: '',
        stderr: `error: The service does not allow deleting property MUC now; nothing was sent.
  DeleteNotAllowedForPropertyNotInStatusTest: The property is Live.
  DeleteNotAllowedForNow: It has guests
`,
      });
    },
  );

  test('programs get the reasons by their codes', async () => {
    shows([forbidden]);

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

  test('the number of the look is told, for whoever asks the support of the service', async () => {
    nock(API, AUTH)
      .get(`${MUC}?expand=actions`)
      .reply(200, { id: 'MUC', actions: [forbidden] }, { 'Apaleo-Tracking-Id': 'track-1' });

    const { stderr } = await remove(['--confirm', 'MUC', '--json']);

    expect(JSON.parse(stderr).error).toMatchObject({ code: 'not_allowed', request_id: 'track-1' });
  });

  test.each<[unknown, string]>([
    [undefined, 'now, without saying why; nothing was sent.\n'],
    [null, 'now, without saying why; nothing was sent.\n'],
    ['Live', 'now, without saying why; nothing was sent.\n'],
    [['Live', null], 'now, without saying why; nothing was sent.\n'],
    [[{ code: 'Live' }, { message: 'It is Live.' }], 'sent.\n  Delete: Live\n  Delete: It is Live.\n'],
    [[{ code: 7, message: 'It\u001b[31m is\nLive.' }], 'Delete: It\\u{1b}[31m is\\nLive.\n'],
  ])('reasons of any make are told as far as they go: %j', async (given, message) => {
    shows([{ ...forbidden, reasons: given }]);

    expect(await remove()).toEqual({ exitCode: 6, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('reasons without end are told in part', async () => {
    const endless = Array.from({ length: 1_000 }, () => ({
      code: 'x'.repeat(500),
      message: 'y'.repeat(5_000),
    }));
    shows([{ ...forbidden, reasons: endless }]);

    const { exitCode, stderr } = await remove();

    expect(exitCode).toBe(6);
    expect(stderr.split('\n')).toHaveLength(22);
    expect(stderr.length).toBeLessThan(22_000);
  });

  test.each<[string, unknown]>([
    ['it may be', [allowed]],
    ['it may be, as another spells it', [{ action: 'delete', is_allowed: true }]],
    ['nothing is said of it', [{ action: 'Archive', isAllowed: false }]],
    ['no actions are shown', undefined],
    ['they are null', null],
    ['they are a text', 'Delete'],
    [
      'they are of another make',
      [null, 'Delete', { action: 'Delete', isAllowed: 'no' }, { isAllowed: false }],
    ],
  ])('where %s, it is', async (_, actions) => {
    shows(actions);
    takesDeletion();

    expect(await remove()).toEqual(done);
  });

  test.each<[string, number, string | object, Record<string, string>]>([
    ['is forbidden', 403, {}, {}],
    ['is a page', 404, '<html><title>Gateway</title></html>', { 'content-type': 'text/html' }],
    ['is no record', 200, [], {}],
    ['is of another one', 200, { id: 'BER', actions: [forbidden] }, {}],
    ['is refused', 422, { messages: ['no'] }, {}],
  ])('where the look %s, the deletion itself is judged', async (_, status, body, headers) => {
    nock(API, AUTH)
      .get(`${MUC}?expand=actions`)
      .times(status === 200 ? 5 : 1)
      .reply(status, body, headers);
    takesDeletion();

    expect(await remove()).toEqual(done);
  });

  test('a property that is not there is told at once, with the one that was probably meant', async () => {
    nock(API, AUTH).get(`${MUC}?expand=actions`).reply(404);
    nock(API, AUTH)
      .get('/inventory/v1/properties?pageSize=100&pageNumber=1')
      .reply(200, { properties: [{ id: 'MUN' }, { id: 'VIE' }], count: 2 });

    expect(await remove([], { answers: [] })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr:
        'error: Could not get the property: nothing was found there (404 from api.example.com).\n' +
        'hint: Did you mean MUN?\n',
    });
  });

  test.each<[unknown, string]>([
    [{ de: 'Isarhotel', en: 'Isar Hotel' }, 'This deletes property MUC (Isar Hotel).'],
    [{ de: 'Isarhotel' }, 'This deletes property MUC (Isarhotel).'],
    ['Isar Hotel', 'This deletes property MUC (Isar Hotel).'],
    ['Isar\u001b[31m\nHotel', 'This deletes property MUC (Isar\\u{1b}[31m\\nHotel).'],
    ['x'.repeat(100), `This deletes property MUC (${'x'.repeat(60)}…).`],
    [undefined, 'This deletes property MUC.'],
    [7, 'This deletes property MUC.'],
  ])('the question says what it is called: %j', async (name, sentence) => {
    const questions: string[] = [];
    shows([allowed], { name });

    const result = await remove([], { answers: [], prompter: asking(questions) });

    expect(result.exitCode).toBe(11);
    expect(questions).toEqual([`${sentence} Type MUC to confirm`]);
  });

  test('its id alone is consent', async () => {
    shows([allowed]);
    const wrong = await remove(['--confirm', 'Isar Hotel']);
    shows([allowed]);
    takesDeletion();
    const right = await remove(['--no-verify'], { answers: ['MUC'] });

    expect([wrong.exitCode, right.exitCode]).toEqual([11, 0]);
  });

  test('^C while it looks sends nothing', async () => {
    const controller = new AbortController();
    nock(API, AUTH)
      .get(`${MUC}?expand=actions`)
      .reply(() => {
        controller.abort(new Interruption('SIGINT'));
        return [503];
      });

    expect((await remove(undefined, { signal: controller.signal })).exitCode).toBe(130);
  });

  test('what the settings forbid, and an id that no path can carry, are told before it looks', async () => {
    const blocked = await remove(undefined, { env: { ...apaleo, INNCTL_SAFETY: 'no-delete' } });
    const wrong = await cli(['properties', 'delete', 'a/b', '--confirm', 'a/b'], { env: apaleo });

    expect([blocked.exitCode, wrong.exitCode]).toEqual([11, 2]);
  });
});

describe('at the sandbox', () => {
  test.each([
    ['BER', 6, ['--confirm', 'BER']],
    ['BER', 6, ['--dry-run']],
    ['MUC', 0, ['--confirm', 'MUC']],
    ['MUC', 0, ['--dry-run']],
    ['NOPE', 3, ['--confirm', 'NOPE']],
  ])('properties delete %s ends with %d: %j', async (id, exitCode, words) => {
    const situation = { env: { INNCTL_DIALECT: 'apaleo' }, connect: connectUndici };

    const result = await cli(['--sandbox', 'properties', 'delete', id, ...words], situation);

    expect(result.exitCode).toBe(exitCode);
  });
});
