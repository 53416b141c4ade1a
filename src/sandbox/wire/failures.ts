import { CliError } from '../../errors.ts';
import type { Answer } from '../operations/exchange.ts';
import { Refusal, refusal } from '../operations/refusal.ts';

/** Statuses of what may go wrong with the stored state; everything else is 500. */
const statuses: Readonly<Record<string, number>> = {
  sandbox_full: 507,
  sandbox_read_only: 507,
  busy: 503,
};

/** The answer to a request that was refused, or that failed within the sandbox. */
export function answerTo(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  if (error instanceof CliError) {
    const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    return refusal(statuses[error.code] ?? 500, error.code, message).answer;
  }
  return refusal(500, 'internal', `The sandbox failed: ${String(error)}`).answer;
}
