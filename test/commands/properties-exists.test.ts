import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { API, AUTH, apaleo, cli, hotels } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';
import { httpServer } from '../helpers/servers.ts';

const BER = '/inventory/v1/properties/BER';
const HTML = { 'content-type': 'text/html; charset=utf-8' };

const exists = (...words: readonly string[]) =>
  cli(['properties', 'exists', 'BER', ...words], { env: apaleo });

describe('properties exists', () => {
  onlyIntercepted();

  test.each<[number, readonly string[], string, number]>([
    [200, [], 'Property BER exists.\n', 0],
    [200, ['--json'], '{"id":"BER","exists":true}\n', 0],
    [200, ['-q'], 'BER\n', 0],
    [200, ['--query', 'exists'], 'true\n', 0],
    [404, [], 'There is no property BER.\n', 3],
    [404, ['--json'], '{"id":"BER","exists":false}\n', 3],
    [404, ['-q'], '', 3],
    [410, [], 'There is no property BER.\n', 3],
  ])('status %d with %j', async (status, words, stdout, exitCode) => {
    nock(API, AUTH).head(BER).reply(status);

    expect(await exists(...words)).toEqual({ exitCode, stdout, stderr: '' });
  });

  test.each<[number, Record<string, string>]>([
    [200, HTML],
    [410, { 'Content-Type': 'TEXT/HTML' }],
    [404, { 'content-type': 'application/xml' }],
  ])('an HTML or XML page (%d, %j) is an error', async (status, headers) => {
    nock(API, AUTH)
      .head(BER)
      .times(status === 200 ? 5 : 1)
      .reply(status, undefined, headers);

    const result = await exists('--json');

    const { error } = JSON.parse(result.stderr);
    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect([error.code, error.status]).toEqual(['html_answer', status]);
    expect(error.hint).toBe('Check the URL, and whether a proxy or a login page is in between.');
  });

  test('another content type means missing', async () => {
    nock(API, AUTH).head(BER).reply(404, undefined, { 'content-type': 'text/plain' });

    expect((await exists()).exitCode).toBe(3);
  });

  test.each([
    [200, { ...property, id: 'BER' }, { exitCode: 0, stdout: 'Property BER exists.\n', stderr: '' }],
    [404, { code: 'not_found' }, { exitCode: 3, stdout: 'There is no property BER.\n', stderr: '' }],
    [403, {}, { exitCode: 5, stdout: '' }],
    [200, {}, { exitCode: 1, stdout: '' }],
  ])(
    'asks for the property in the dialect contract, which has no HEAD: %d %j',
    async (status, body, result) => {
      nock(API, AUTH).get(BER).reply(status, body);

      expect(await cli('properties exists BER', { env: { ...hotels, NO_COLOR: '1' } })).toMatchObject(result);
    },
  );
});

describe('over HTTP', () => {
  test('a HEAD response with content-length is complete without a body', async () => {
    const requests: string[] = [];
    await using server = await httpServer(({ method, url }, answer) => {
      requests.push(`${method} ${url}`);
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).end();
    });
    const env = { ...apaleo, INNCTL_BASE_URL: server.origin, INNCTL_IDENTITY_URL: server.origin };

    const result = await cli('properties exists BER -q', { env, connect: connectUndici });

    expect(result).toEqual(printed('BER\n'));
    expect(requests).toEqual([`HEAD ${BER}`]);
  });
});
