import { beforeAll, expect, test } from 'vitest';
import { behindFront } from './behind-front.ts';
import { whole } from './front.ts';
import { harmless, type WireCase } from './wire-cases.ts';

const calm: WireCase = { name: 'calm', misdeed: (socket, answer) => socket.write(whole(answer), 'latin1') };
const operations = ['listProperties', 'createProperty', 'updateProperty'] as const;

const told = ({ misdeed }: WireCase, more: readonly string[] = []) =>
  Promise.all(operations.map((id) => behindFront(id, { misdeed, more, commits: true, times: 99 })));

let undisturbed: Awaited<ReturnType<typeof told>>;

beforeAll(async () => {
  undisturbed = await told(calm);
});

test.each(harmless.map((each) => [each.name, each] as const))(
  'an answer in odd dress is the same answer: %s',
  async (_, odd) => {
    expect(await told(odd)).toEqual(undisturbed);
  },
);

test.each(['headers in UTF-8', 'headers named as what objects have', 'thousands of empty headers'])(
  'the trace of an answer in odd dress shows no control byte: %s',
  async (name) => {
    const odd = harmless.filter((each) => each.name === name);

    const fared = await Promise.all(odd.map((each) => told(each, ['--debug'])));

    expect(fared.flat()).toEqual(undisturbed);
  },
);
