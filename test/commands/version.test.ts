import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';

test.each([
  ['', '0.0.0-test\n'],
  [' --json', '{\n  "version": "0.0.0-test"\n}\n'],
  [' -o ndjson', '{\n  "version": "0.0.0-test"\n}\n'],
])('version%s, --version%s and -V%s print the same', async (flags, stdout) => {
  for (const line of ['version', '--version', '-V'])
    expect(await cli(`${line}${flags}`)).toEqual(printed(stdout));
});
