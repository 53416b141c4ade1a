import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import { parseFault } from '../../src/sandbox/faults.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { sandbox } from '../sandbox/harness.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const MUC = '/inventory/v1/properties/MUC';
const LIST = '/inventory/v1/properties?page_size=100&page_number=1';

/** Looked at before anybody is asked, the property is there. */
const there = () => nock(API, AUTH).get(MUC).reply(200, { id: 'MUC', name: 'Park Hotel' });

/** A deletion without a body that the service takes. */
const taken = () =>
  nock(API, AUTH)
    .delete(MUC, (body) => body === '')
    .reply(204);

describe('properties delete', () => {
  onlyIntercepted();

  test.each([
    'properties delete MUC --confirm MUC',
    'property rm MUC --confirm=MUC',
    'properties delete --confirm MUC -- MUC',
  ])('%s sends one DELETE and looks whether it is gone', async (line) => {
    taken();
    nock(API, AUTH).get(MUC).reply(404);

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Deleted property MUC: confirmed.\n',
    });
  });

  test('tells programs what it did', async () => {
    taken();
    nock(API, AUTH).get(MUC).reply(404);

    const result = await cli('properties delete MUC --confirm MUC --json', { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stdout: { id: 'MUC', deleted: true, verification: 'confirmed' },
      stderr: '',
    });
  });

  test('--ignore-not-found ends with 0 where nothing is there, and says so', async () => {
    nock(API, AUTH).delete(MUC).reply(404);

    const line = 'properties delete MUC --confirm MUC --ignore-not-found --json';
    const result = await cli(line, { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stdout: { id: 'MUC', deleted: false },
      stderr: '',
    });
  });

  test('--ignore-not-found asks nobody about what is not there', async () => {
    nock(API, AUTH).get(MUC).reply(404);

    const result = await cli('properties delete MUC --ignore-not-found', { env: hotels, answers: [] });

    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: 'There is no property MUC.\n' });
  });

  test.each([
    [403, 5],
    [409, 6],
  ])('--ignore-not-found ignores nothing else: %i', async (status, exitCode) => {
    nock(API, AUTH).delete(MUC).reply(status);

    const line = 'properties delete MUC --confirm MUC --ignore-not-found';
    expect((await cli(line, { env: hotels })).exitCode).toBe(exitCode);
  });

  test('--no-verify sends no GET', async () => {
    taken();

    const result = await cli('properties delete MUC --confirm MUC --no-verify --json', { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stdout: { id: 'MUC', deleted: true },
      stderr: '',
    });
  });

  test('a property that is still shown is not yet gone', async () => {
    taken();
    nock(API, AUTH).get(MUC).times(3).reply(200, { id: 'MUC' });

    expect(await cli('properties delete MUC --confirm MUC', { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Deleted property MUC: not yet visible.\n',
    });
  });

  test('a look that is refused tells nothing', async () => {
    taken();
    nock(API, AUTH)
      .get(MUC)
      .reply(403, { messages: ['not yours'] });

    expect(await cli('properties delete MUC --confirm MUC', { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        'Deleted property MUC: not readable (Could not get the property: not yours (403 from api.example.com)).\n',
    });
  });

  test.each([[{}], [{ answers: [] }]])(
    'nobody is asked about a property that is not there: %j',
    async (situation) => {
      nock(API, AUTH).get(MUC).reply(404);
      nock(API, AUTH)
        .get('/inventory/v1/properties?page_size=100&page_number=1')
        .reply(200, { count: 1, items: [{ id: 'MUN' }] });

      const { exitCode, stderr } = await cli('properties delete MUC', { env: hotels, ...situation });

      expect({ exitCode, stderr }).toEqual({
        exitCode: 3,
        stderr: expect.stringContaining('Did you mean MUN?'),
      });
    },
  );

  test('where the property cannot be read, the id is asked for all the same', async () => {
    nock(API, AUTH).get(MUC).reply(403);

    expect((await cli('properties delete MUC', { env: hotels })).exitCode).toBe(11);
  });

  test('at a terminal the id is typed once more', async () => {
    there();
    taken();
    nock(API, AUTH).get(MUC).reply(404);

    expect(await cli('properties delete MUC', { env: hotels, answers: [' MUC '] })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Sending to api.example.com.\nDeleted property MUC: confirmed.\n',
    });
  });

  test.each([['muc'], ['yes'], ['']])('%j instead of the id is a no', async (answer) => {
    there();

    expect(await cli('properties delete MUC --color never', { env: hotels, answers: [answer] })).toEqual({
      exitCode: 11,
      stdout: '',
      stderr: `error: ${JSON.stringify(answer)} is not MUC; nothing was done.\n`,
    });
  });

  test('^C at the prompt sends nothing', async () => {
    const answers = [new Interruption('SIGINT')];
    there();

    expect((await cli('properties delete MUC', { env: hotels, answers })).exitCode).toBe(130);
  });

  test.each<[string, string, Situation]>([
    ['nobody can be asked', 'properties delete MUC', {}],
    ['--yes alone is given', 'properties delete MUC --yes', {}],
    ['--no-input is given', 'properties delete MUC --no-input --color never', { answers: [] }],
  ])('when %s, consent by name is missing', async (_, words, situation) => {
    there();

    expect(await cli(words, { env: hotels, ...situation })).toEqual({
      exitCode: 11,
      stdout: '',
      stderr:
        'error: This deletes property MUC (Park Hotel). That needs consent by name.\n' +
        `hint: To consent, for which --yes is not enough: innctl ${words} --confirm MUC\n`,
    });
  });

  test('under --json nobody is asked, and the refusal is one object', async () => {
    there();
    const result = await cli('properties delete MUC --yes --json', { env: hotels, answers: [] });

    expect({ ...result, stderr: JSON.parse(result.stderr) }).toEqual({
      exitCode: 11,
      stdout: '',
      stderr: {
        error: {
          code: 'consent_missing',
          message: 'This deletes property MUC (Park Hotel). That needs consent by name.',
          hint: 'To consent, for which --yes is not enough: innctl properties delete MUC --yes --json --confirm MUC',
          details: [],
        },
      },
    });
  });

  test.each([
    ['MUN', '"MUN"'],
    ['muc', '"muc"'],
    ['', '""'],
  ])('--confirm %j is no consent', async (given, quoted) => {
    const argv = ['properties', 'delete', 'MUC', '--confirm', given];

    expect(await cli(argv, { env: hotels })).toEqual({
      exitCode: 11,
      stdout: '',
      stderr: `error: This deletes property MUC. --confirm says ${quoted}, not "MUC".\n`,
    });
  });

  test('a dry run shows the request, asks nothing and sends none', async () => {
    const result = await cli('properties delete MUC --dry-run --json', { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout).requests }).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [expect.objectContaining({ method: 'DELETE', url: `${API}${MUC}` })],
    });
  });

  test.each<[string, readonly string[], string]>([
    ['no id', [], "missing required argument 'id'"],
    ['an empty id', [''], 'id: must not be empty'],
    ['the folder above', ['..', '--confirm', '..'], 'id: ".." is not an id'],
    ['the count', ['$count', '--confirm', '$count'], 'id: "$count" is not an id'],
    ['a slash', ['MUC/units', '--confirm', 'MUC/units'], 'has characters that no id has'],
    ['a line feed', ['MUC\n', '--confirm', 'MUC\n'], 'has characters that no id has'],
    ['two ids', ['MUC', 'VIE', '--confirm', 'MUC'], 'too many arguments'],
    ['--confirm without a value', ['MUC', '--confirm'], 'argument missing'],
    ['a misspelt flag', ['MUC', '--confirm', 'MUC', '--dry-rum'], "unknown option '--dry-rum'"],
  ])('%s: exit 2 and nothing is sent', async (_, words, message) => {
    expect(await cli(['properties', 'delete', ...words], { env: hotels, answers: [] })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('what the settings forbid is not even asked for', async () => {
    const env = { ...hotels, INNCTL_SAFETY: 'no-delete' };

    const result = await cli('properties delete MUC --json', { env, answers: [] });
    const atTerminal = await cli('properties delete MUC', { env, answers: [] });

    expect(JSON.parse(result.stderr).error.code).toBe('blocked');
    expect([result.exitCode, atTerminal.exitCode]).toEqual([11, 11]);
    expect(atTerminal.stderr).toContain('INNCTL_SAFETY');
  });

  test('names the id that was probably meant', async () => {
    nock(API, AUTH).delete('/inventory/v1/properties/MUN').reply(404);
    nock(API, AUTH)
      .get(LIST)
      .reply(200, { count: 2, items: [{ id: 'VIE' }, { id: 'MUC' }] });

    expect(await cli('properties delete MUN --confirm MUN', { env: hotels })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr:
        'error: Could not delete the property: nothing was found there (404 from api.example.com).\n' +
        'hint: Did you mean MUC?\n',
    });
  });

  test.each([[409], [422]])(
    'a refusal (%d) is told as the service says it, and nothing is listed',
    async (status) => {
      nock(API, AUTH)
        .delete(MUC)
        .reply(status, { messages: ['The property is Live'] });

      expect(await cli('properties delete MUC --confirm MUC', { env: hotels })).toEqual({
        exitCode: 6,
        stdout: '',
        stderr: `error: Could not delete the property: The property is Live (${status} from api.example.com).\n`,
      });
    },
  );

  test('a deletion that nobody answered and that still shows is unknown, with the command that settles it', async () => {
    nock(API, AUTH).delete(MUC).times(5).reply(502);
    nock(API, AUTH).get(MUC).times(3).reply(200, { id: 'MUC' });

    const result = await cli('properties delete MUC --confirm MUC', { env: hotels });

    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 8, stdout: '' });
    expect(result.stderr).toContain(
      '\nhint: innctl properties delete MUC --confirm MUC --ignore-not-found\n',
    );
  });
});

describe('a deletion that no answer confirms', () => {
  onlyIntercepted();
  const line = 'properties delete MUC --confirm MUC';

  test('of an id that may never have been there says what is known', async () => {
    nock(API, AUTH).delete(MUC).reply(500);
    nock(API, AUTH).delete(MUC).reply(404);
    nock(API, AUTH).get(MUC).reply(404);

    const result = await cli(`${line} --json`, { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stdout: { id: 'MUC', deleted: true, presumed: true, verification: 'confirmed' },
      stderr: '',
    });
  });

  test('is believed to the second try where nobody looks', async () => {
    nock(API, AUTH).delete(MUC).reply(500);
    nock(API, AUTH).delete(MUC).reply(410);

    expect(await cli(`${line} --no-verify`, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Property MUC is not there now.\n',
    });
  });

  test('is in doubt while the property is still shown', async () => {
    nock(API, AUTH).delete(MUC).reply(500);
    nock(API, AUTH).delete(MUC).reply(404);
    nock(API, AUTH).get(MUC).times(3).reply(200, { id: 'MUC' });

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 8,
      stdout: '',
      stderr:
        'error: Could not delete the property: nothing was found there (404 from api.example.com). ' +
        'The outcome is unknown: it may have been carried out.\n' +
        'hint: innctl properties delete MUC --confirm MUC --ignore-not-found\n',
    });
  });

  test('is in doubt where a page of HTML says that nothing is there', async () => {
    nock(API, AUTH).delete(MUC).times(5).reply(500);
    nock(API, AUTH).get(MUC).reply(404, '<html>No such page</html>');

    expect((await cli(line, { env: hotels })).exitCode).toBe(8);
  });
});

test('a look that shows another property tells nothing of the deletion', async () => {
  taken();
  nock(API, AUTH).get(MUC).times(15).reply(200, { id: 'BER' });

  expect(await cli('properties delete MUC --confirm MUC', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '',
    stderr:
      'Deleted property MUC: not readable (Could not get the property: the service\'s answer is not about "MUC": it shows "BER" (200 from api.example.com)).\n',
  });
});

describe('a deletion in the sandbox', () => {
  /** Runs the program over the wire against a sandbox that misbehaves. */
  async function against(faults: readonly string[], line: string) {
    const { url, token, call } = await sandbox({ faults: faults.map(parseFault) });
    let deletions = 0;
    const connect: Situation['connect'] = async (options) => {
      const transport = await connectUndici(options);
      return {
        close: transport.close,
        request: (request) => {
          if (request.method === 'DELETE') deletions += 1;
          return transport.request(request);
        },
      };
    };
    const env = { INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: token };
    const result = await cli(line, { env, connect });
    return { result, deletions, left: (await call('GET', MUC)).status };
  }

  const confirmed = { exitCode: 0, stdout: '', stderr: 'Deleted property MUC: confirmed.\n' };
  const absent = { ...confirmed, stderr: 'Property MUC is not there now: confirmed.\n' };

  test('takes what is in status Test away', async () => {
    expect(await against([], 'properties delete MUC --confirm MUC')).toEqual({
      result: confirmed,
      deletions: 1,
      left: 404,
    });
  });

  test('is refused for what is Live', async () => {
    const { result } = await against([], 'properties delete BER --confirm BER --json');

    expect({ ...result, stderr: JSON.parse(result.stderr).error }).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr: { status: 422, details: [{ field: 'status', reason: 'is Live' }] },
    });
  });

  test.each([
    ['drop-after:nth=1,operation=deleteProperty', absent],
    ['drop-before:nth=1,operation=deleteProperty', confirmed],
    ['503:nth=1,operation=deleteProperty', confirmed],
  ])('under %s is sent again, and is done', async (fault, result) => {
    expect(await against([fault], 'properties delete MUC --confirm MUC')).toEqual({
      result,
      deletions: 2,
      left: 404,
    });
  });

  test('whose every answer is lost is settled by looking', async () => {
    const { result, left } = await against(
      ['drop-after:operation=deleteProperty'],
      'properties delete MUC --confirm MUC --no-verify',
    );

    expect({ result, left }).toEqual({ result: absent, left: 404 });
  });

  test('that never arrives is unknown, and the property stays', async () => {
    const { result, left } = await against(
      ['drop-before:operation=deleteProperty'],
      'properties delete MUC --confirm MUC',
    );

    expect({ exitCode: result.exitCode, left }).toEqual({ exitCode: 8, left: 200 });
  });
});
