import { expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';

const failing = {
  connect: () => {
    const facts = { errno: -24, code: 'EMFILE', syscall: 'open', path: '/home/ana/undici.js' };
    throw Object.assign(new Error("EMFILE: too many open files, open '/home/ana/undici.js'"), facts);
  },
};
const sentence =
  'The system refused a call (open /home/ana/undici.js): too many files are open; ulimit -n raises the limit (EMFILE).';

test('a system error is reported as one sentence with the path and the reason', async ({ folder }) => {
  expect(await cli('--sandbox roles list', { folder, ...failing })).toEqual(ended(1, `error: ${sentence}\n`));
  expect(JSON.parse((await cli('--sandbox roles list --json', { folder, ...failing })).stderr)).toEqual({
    error: { code: 'system_error', message: sentence, details: [] },
  });
});

test('--debug prints the stack of a system error', async ({ folder }) => {
  const { stderr } = await cli('--sandbox roles list --debug', { folder, ...failing });

  expect(stderr).toMatch(/^debug: Error: EMFILE: too many open files.*\ndebug: +at /);
  expect(stderr.endsWith(`\nerror: ${sentence}\n`)).toBe(true);
});
