import { expect, test } from 'vitest';
import { CancelToken, cancelledBy } from '../../src/service/budget.ts';

test('a cancel token calls each listener once, and keeps its first reason', () => {
  const called: string[] = [];
  const ending = new CancelToken();
  const leave = () => called.push('Ben');
  ending.addEventListener('abort', () => called.push('Ana'));
  ending.addEventListener('abort', leave);
  ending.removeEventListener('abort', leave);

  ending.cancel('enough');
  ending.cancel('too late');

  expect({ called, aborted: ending.aborted, reason: ending.reason }).toEqual({
    called: ['Ana'],
    aborted: true,
    reason: 'enough',
  });
  expect(() => ending.throwIfAborted()).toThrow('enough');
});

test('a listener that is removed or added during the cancel is not called', () => {
  const called: string[] = [];
  const ending = new CancelToken();
  const leave = () => called.push('Ben');
  ending.addEventListener('abort', () => {
    called.push('Ana');
    ending.removeEventListener('abort', leave);
    ending.addEventListener('abort', () => called.push('Eva'));
  });
  ending.addEventListener('abort', leave);

  ending.cancel('enough');

  expect(called).toEqual(['Ana']);
});

test('a token that is not cancelled throws nothing', () => {
  expect(() => new CancelToken().throwIfAborted()).not.toThrow();
});

test.each(['before', 'after'])('a token follows a signal that is aborted %s', (when) => {
  const reason = new Error('Ana changed her mind');
  const stop = new AbortController();
  if (when === 'before') stop.abort(reason);

  const ending = cancelledBy(stop.signal);
  if (when === 'after') stop.abort(reason);

  expect([ending.aborted, ending.reason]).toEqual([true, reason]);
});
