import type { Detail } from '../../errors.ts';
import type { Answer } from './exchange.ts';

/** An answer that says no, thrown from wherever the reason is found. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(sentence: string, answer: Answer) {
    super(sentence);
    this.answer = answer;
  }
}

export interface RefusalOptions {
  readonly details?: readonly Detail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal in the sandbox's error format: `{"error":{"code","message","details"}}`. */
export function refusal(
  status: number,
  code: string,
  message: string,
  { details = [], headers = {} }: RefusalOptions = {},
): Refusal {
  return new Refusal(message, { status, body: { error: { code, message, details } }, headers });
}

/** 422: values that cannot be taken, all of them named. */
export function invalid(details: readonly Detail[]): Refusal {
  const message =
    details.length === 1
      ? 'A value was not accepted.'
      : `${details.length} values were not accepted: ${details.map(({ field }) => field).join(', ')}.`;
  return refusal(422, 'validation_failed', message, { details });
}

/** 404: there is no such record. */
export function notFound(noun: string, id: string): Refusal {
  return refusal(404, 'not_found', `There is no ${noun} ${JSON.stringify(id)}.`);
}
