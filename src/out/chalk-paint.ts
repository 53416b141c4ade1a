import { Chalk } from 'chalk';
import type { Paint } from './paint.ts';

/** The sixteen basic colours, which follow the terminal's theme. The caller decides whether to use them. */
export function createChalkPaint(): Paint {
  const chalk = new Chalk({ level: 1 });
  return {
    title: (text) => chalk.bold(text),
    error: (text) => chalk.bold.red(text),
    warning: (text) => chalk.yellow(text),
    hint: (text) => chalk.cyan(text),
  };
}
