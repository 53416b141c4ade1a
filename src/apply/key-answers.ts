import { isFailure, isRefusal } from '../http/stored-answer.ts';
import type { RowMemory } from './memory.ts';

/** What a service answered to the requests under one idempotency key that it did not take. */
export interface KeyAnswers {
  /** It created nothing for certain, and may repeat that answer for as long as it knows the key. */
  readonly isRefused: boolean;
  /** So many runs one after the other ended with an answer that is a failure. */
  readonly failures: number;
  /** The last of the answers, where it was no success. */
  readonly status: number | undefined;
  /** When that was, milliseconds since the epoch. */
  readonly answeredAt: number | undefined;
  /** The run, as counted, that failed last. */
  readonly failedIn: number;
  /** No answer has come to what was sent last. */
  readonly isOpen: boolean;
  /** The outcome of a request is unknown. */
  readonly isInDoubt: boolean;
  /** An answer said that it created something: no later one makes that undone. */
  readonly hasCreated: boolean;
}

/** Of a key that was never sent. */
export const unsent: KeyAnswers = {
  isRefused: false,
  failures: 0,
  status: undefined,
  answeredAt: undefined,
  failedIn: 0,
  isOpen: false,
  isInDoubt: false,
  hasCreated: false,
};

/**
 * What is known after one more line about the row.
 *
 * @param run the run that wrote it, counted from 1 by how often one was begun or resumed.
 */
export function withAnswer(answers: KeyAnswers, { state, status, at }: RowMemory, run: number): KeyAnswers {
  if (state === 'planned') return answers;
  if (state === 'sent') return { ...answers, isOpen: true, isInDoubt: answers.isInDoubt || answers.isOpen };
  const ended = { ...answers, isOpen: false, status, answeredAt: at };
  if (state === 'done') return { ...ended, hasCreated: true };
  if (answers.hasCreated) return ended;
  if (state === 'failed') {
    // Where an earlier request is in doubt, only a judgement of what was sent speaks of that one too.
    const isRefused = status !== undefined && (!answers.isInDoubt || isRefusal(status));
    return { ...ended, isRefused: answers.isRefused || isRefused };
  }
  const doubt = { ...ended, isInDoubt: true };
  if (!isFailure(status)) return { ...doubt, failures: 0 };
  return answers.failedIn === run ? doubt : { ...doubt, failures: answers.failures + 1, failedIn: run };
}
