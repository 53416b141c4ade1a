import { expect, test } from 'vitest';
import { CancelToken, cancelledBy } from '../../src/service/budget.ts';

test('an ending tells everybody who listens, once, and keeps its reason', () => {
  const told: string[] = [];
  const ending = new CancelToken();
  const leave = () => told.push('Ben');
  ending.addEventListener('abort', () => told.push('Ana'));
  ending.addEventListener('abort', leave);
  ending.removeEventListener('abort', leave);

  ending.cancel('enough');
  ending.cancel('too late');

  expect({ told, aborted: ending.aborted, reason: ending.reason }).toEqual({
    told: ['Ana'],
    aborted: true,
    reason: 'enough',
  });
  expect(() => ending.throwIfAborted()).toThrow('enough');
});

test('who is taken away by somebody who is told, or comes only then, is not told', () => {
  const told: string[] = [];
  const ending = new CancelToken();
  const leave = () => told.push('Ben');
  ending.addEventListener('abort', () => {
    told.push('Ana');
    ending.removeEventListener('abort', leave);
    ending.addEventListener('abort', () => told.push('Eva'));
  });
  ending.addEventListener('abort', leave);

  ending.cancel('enough');

  expect(told).toEqual(['Ana']);
});

test('an ending that nobody brought about throws nothing', () => {
  expect(() => new CancelToken().throwIfAborted()).not.toThrow();
});

test.each(['before', 'after'])('an ending follows a signal that is aborted %s', (when) => {
  const reason = new Error('Ana changed her mind');
  const stop = new AbortController();
  if (when === 'before') stop.abort(reason);

  const ending = cancelledBy(stop.signal);
  if (when === 'after') stop.abort(reason);

  expect([ending.aborted, ending.reason]).toEqual([true, reason]);
});
