import { expect, test } from 'vitest';
import { AnswerBody } from '../../src/service/wire/carry.ts';

/** The calls of a body to its connection, in order. */
function connection() {
  const calls: string[] = [];
  const controller = {
    paused: false,
    aborted: false,
    reason: null,
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: (cause: Error) => void calls.push(`abort: ${cause.message}`),
  };
  return { calls, controller };
}

const half = Buffer.alloc(40_000);

test('a body yields buffered and later chunks in order', async () => {
  const { calls, controller } = connection();
  const body = new AnswerBody(controller);
  body.push(Buffer.from('BER'));
  body.push(Buffer.from('MUC'));

  const read: string[] = [];
  for await (const chunk of body) {
    read.push(String(chunk));
    if (read.length === 2) queueMicrotask(() => body.push(Buffer.from('VIE')));
    if (read.length === 3) body.end();
  }

  expect({ read, calls }).toEqual({ read: ['BER', 'MUC', 'VIE'], calls: [] });
});

test('the connection is paused while much is buffered, and resumed once that is read', async () => {
  const { calls, controller } = connection();
  const body = new AnswerBody(controller);

  for (const chunk of [half, half, half]) body.push(chunk);
  const before = [...calls];
  body.end();
  let length = 0;
  for await (const chunk of body) length += chunk.byteLength;

  expect({ before, calls, length }).toEqual({
    before: ['pause'],
    calls: ['pause', 'resume'],
    length: 120_000,
  });
});

test('a body that is not read to the end aborts the connection', async () => {
  const { calls, controller } = connection();
  const body = new AnswerBody(controller);
  body.push(half);

  for await (const _ of body) break;

  expect(calls).toEqual(['abort: the body was not read to its end']);
});

test('a connection error replaces unread chunks, whether it comes before or during the read', async () => {
  const early = connection();
  const cut = new AnswerBody(early.controller);
  cut.push(half);
  cut.fail(new Error('cut'));
  const late = connection();
  const cutLater = new AnswerBody(late.controller);

  const reading = cutLater[Symbol.asyncIterator]().next();
  cutLater.fail(new Error('cut'));

  await expect(cut[Symbol.asyncIterator]().next()).rejects.toThrow('cut');
  await expect(reading).rejects.toThrow('cut');
  expect([early.calls, late.calls]).toEqual([['abort: cut'], ['abort: cut']]);
});
