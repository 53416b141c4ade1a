import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import type { ExplainStack } from '../context.ts';

/**
 * Tells of an error that nobody caught and ends the process. Node itself would print the line it was thrown in, and in a
 * built file that is all of it.
 */
export function tellUncaught(explainStack: ExplainStack, outside: NodeJS.Process): void {
  outside.on('uncaughtException', (error) => {
    const text =
      `error: ${explainStack(inspect(error))}\n` +
      'hint: This is a fault of innctl itself: please report it, together with this text.\n';
    try {
      writeSync(2, text);
    } finally {
      outside.exit(1);
    }
  });
}
