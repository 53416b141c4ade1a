import type { Command } from '@commander-js/extra-typings';
import { collect } from './options.ts';

type Flags = Record<string, unknown>;

/** Adds the flags that every list has: how much of it, and query parameters that the contract only mentions. */
export function withListFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--limit <n>', 'at most so many (default: 100)')
    .option('--all', 'all of them')
    .option('--page-number <n>', 'exactly this page, counted from 1')
    .option('--page-size <n>', 'records on a page (default: 100)')
    .option('--param <name=value>', 'a further query parameter (repeatable)', collect);
}
