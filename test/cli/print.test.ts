import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { print } from '../../src/cli/start.ts';

const text = Buffer.from('the text');

/** A process whose write calls accept this many bytes each, or fail with a code. */
function surroundings(steps: readonly (number | string)[], streamFails?: string) {
  const printed = { stdout: '', stderr: '' };
  const left = [...steps];
  const write = (file: number, bytes: Uint8Array): number => {
    const step = left.shift() ?? bytes.length;
    if (typeof step === 'string') throw failure(step);
    printed[file === 1 ? 'stdout' : 'stderr'] += Buffer.from(bytes.subarray(0, step)).toString();
    return Math.min(step, bytes.length);
  };
  const streamTo = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(bytes, _encoding, then) {
        if (streamFails !== undefined) return then(failure(streamFails));
        printed[name] += bytes;
        then();
      },
    });
  const fakeProcess = {
    exitCode: undefined as number | undefined,
    stdout: streamTo('stdout'),
    stderr: streamTo('stderr'),
  } as unknown as NodeJS.Process;
  return { printed, write, fakeProcess };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: refused, write`), { code });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each([
  { system: 'accepts all bytes', steps: [] },
  { system: 'accepts a few bytes per call', steps: [3, 1] },
  { system: 'returns EAGAIN', steps: ['EAGAIN'] },
  { system: 'returns EAGAIN after a partial write', steps: [3, 'EAGAIN'] },
  { system: 'returns EAGAIN for the note', steps: [8, 'EAGAIN'] },
])('a text and its note are printed once when the system $system', async ({ steps }) => {
  const { printed, write, fakeProcess } = surroundings(steps);

  const isPrinted = print(text, 'a note', fakeProcess, write);

  await settled();
  expect({ isPrinted, ...printed, exitCode: fakeProcess.exitCode }).toEqual({
    isPrinted: true,
    stdout: 'the text',
    stderr: 'a note',
    exitCode: undefined,
  });
});

test.each(['EPIPE', 'ENOSPC', 'EBADF'])(
  '%s before the first byte is left to the program to report',
  (code) => {
    const { printed, write, fakeProcess } = surroundings([code]);

    expect({ isPrinted: print(text, 'a note', fakeProcess, write), ...printed }).toEqual({
      isPrinted: false,
      stdout: '',
      stderr: '',
    });
  },
);

test.each([
  { code: 'ENOSPC', exitCode: 1, stderr: 'error: Cannot write to stdout: ENOSPC: refused, write.\n' },
  { code: 'EPIPE', exitCode: undefined, stderr: '' },
])('$code after a partial write is reported once, and nothing is printed twice', async (expected) => {
  const { printed, write, fakeProcess } = surroundings([3, expected.code], expected.code);

  const isPrinted = print(text, 'a note', fakeProcess, write);

  await settled();
  expect({ isPrinted, ...printed, exitCode: fakeProcess.exitCode }).toEqual({
    isPrinted: true,
    stdout: 'the',
    stderr: expected.stderr,
    exitCode: expected.exitCode,
  });
});

test.each(['EPIPE', 'ENOSPC'])('%s for the note leaves the text printed once', (code) => {
  const { printed, write, fakeProcess } = surroundings([8, code]);

  expect({ isPrinted: print(text, 'a note', fakeProcess, write), ...printed }).toEqual({
    isPrinted: true,
    stdout: 'the text',
    stderr: '',
  });
});
