import type { Command } from '@commander-js/extra-typings';
import { collect } from '../options.ts';
import { ignoreNotFoundFlag } from '../write.ts';

type Flags = Record<string, unknown>;

/** Adds the flags of `create` that are no fields. @param one `unit group with the code` */
export function withCreateFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  one: string,
) {
  return command
    .option('--file <path>', 'read the fields from YAML or JSON; - for stdin')
    .option('--like <id>', 'copy missing fields from this one')
    .option('--idempotency-key <key>', 'idempotency key (default: generated)')
    .option('--if-not-exists', `succeed and print the id if a ${one} exists`)
    .option('--no-check', `do not check first if a ${one} exists`);
}

/** Adds the flags of commands that cannot be undone. */
export function withRemovalFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  what: string,
) {
  return command
    .option('--confirm <id>', `confirm the ${what}: repeat the id (--yes is not enough)`, collect)
    .option('--no-verify', 'do not verify by reading afterwards');
}

/** Adds the flags of `delete`. */
export function withDeleteFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return withRemovalFlags(command, 'deletion').option(...ignoreNotFoundFlag);
}
