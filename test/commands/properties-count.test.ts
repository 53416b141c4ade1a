import nock from 'nock';
import { expect, test } from 'vitest';
import { API, AUTH, cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const COUNT = '/inventory/v1/properties/$count';

onlyIntercepted();

function reply(path: string, ...all: readonly string[]): void {
  for (const body of all) nock(API, AUTH).get(path).reply(200, body);
}

test.each([
  ['properties count -o tsv', '{"count":0}', '0\n'],
  ['properties count -o ndjson', '{"count":3}', '{"count":3}\n'],
])('%s accepts an object: %s', async (line, body, stdout) => {
  reply(COUNT, body);

  expect(await cli(line, { env: hotels })).toEqual(printed(stdout));
});

test.each([['"3"'], ['-1'], ['1.5'], ['1e300'], ['null'], ['[3]'], ['{}'], ['{"count":"3"}']])(
  '%s is no valid count, and is requested again',
  async (body) => {
    reply(COUNT, body, body, body, body, body);

    expect(await cli('properties count', { env: hotels })).toEqual(
      ended(
        1,
        "error: Could not count the properties: the service's answer is not a number of records (200 from api.example.com).\n",
      ),
    );
  },
);
