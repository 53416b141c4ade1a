import { expect, test } from 'vitest';
import { AnswerBody } from '../../src/service/wire/carry.ts';

/** What a body asks of its connection, in order. */
function connection() {
  const asked: string[] = [];
  const controller = {
    paused: false,
    aborted: false,
    reason: null,
    pause: () => void asked.push('pause'),
    resume: () => void asked.push('resume'),
    abort: (cause: Error) => void asked.push(`abort: ${cause.message}`),
  };
  return { asked, controller };
}

const half = Buffer.alloc(40_000);

test('a body that is read brings every chunk in order, those that wait and those that come', async () => {
  const { asked, controller } = connection();
  const body = new AnswerBody(controller);
  body.push(Buffer.from('BER'));
  body.push(Buffer.from('MUC'));

  const read: string[] = [];
  for await (const chunk of body) {
    read.push(String(chunk));
    if (read.length === 2) queueMicrotask(() => body.push(Buffer.from('VIE')));
    if (read.length === 3) body.end();
  }

  expect({ read, asked }).toEqual({ read: ['BER', 'MUC', 'VIE'], asked: [] });
});

test('the connection waits while much is unread, and goes on once it is read', async () => {
  const { asked, controller } = connection();
  const body = new AnswerBody(controller);

  for (const chunk of [half, half, half]) body.push(chunk);
  const before = [...asked];
  body.end();
  let length = 0;
  for await (const chunk of body) length += chunk.byteLength;

  expect({ before, asked, length }).toEqual({
    before: ['pause'],
    asked: ['pause', 'resume'],
    length: 120_000,
  });
});

test('a body that is left before its end takes the connection with it', async () => {
  const { asked, controller } = connection();
  const body = new AnswerBody(controller);
  body.push(half);

  for await (const _ of body) break;

  expect(asked).toEqual(['abort: the body was not read to its end']);
});

test('a cut is thrown instead of what was not read, whether it comes before the reading or during it', async () => {
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
  expect([early.asked, late.asked]).toEqual([['abort: cut'], ['abort: cut']]);
});
