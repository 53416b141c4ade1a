import type { Command } from '@commander-js/extra-typings';
import type { Query } from '../api/dialects/dialect.ts';
import { type OperationId, operations } from '../api/operations.ts';
import type { Extent } from '../api/paging.ts';
import { quote } from '../checks/text.ts';
import { invalidInput, usageError } from '../errors.ts';
import { collect } from './options.ts';

type Flags = Record<string, unknown>;

/** The flags of a list, as typed. */
interface ListFlags {
  readonly limit?: string | undefined;
  readonly all?: true | undefined;
  readonly pageNumber?: string | undefined;
  readonly pageSize?: string | undefined;
  readonly param?: readonly string[] | undefined;
}

/** The query parameters without a flag of their own, and the part of the list that is wanted. */
interface WantedList {
  readonly filter: Query;
  readonly extent: Extent;
}

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

/**
 * What the flags of a list ask for.
 *
 * @throws {CliError} exit 2 naming every number that is wrong, two flags that contradict each other, and a --param that
 *   has no name or a flag of its own.
 */
export function listFrom(flags: ListFlags, operation: OperationId): WantedList {
  const extent = extentFrom(flags);
  return { filter: paramsFrom(flags.param, operations[operation].query), extent };
}

/** The part of a list that is wanted. */
function extentFrom({ limit, all, pageNumber, pageSize }: ListFlags): Extent {
  if (all === true && limit !== undefined) throw usageError('--all and --limit contradict each other.');
  if (pageNumber !== undefined && (all === true || limit !== undefined)) {
    throw usageError(
      `--page-number gives exactly one page: it does not go with ${all ? '--all' : '--limit'}.`,
    );
  }
  const numbers = { '--limit': limit, '--page-number': pageNumber, '--page-size': pageSize };
  const details = Object.entries(numbers).flatMap(([field, text]) =>
    text === undefined || isCount(text)
      ? []
      : [{ field, reason: `${quote(text)} is not a whole number from 1` }],
  );
  if (details.length > 0) throw invalidInput(details);
  return {
    limit: all === true ? Number.POSITIVE_INFINITY : numberFrom(limit),
    pageNumber: numberFrom(pageNumber),
    pageSize: numberFrom(pageSize),
  };
}

/** What --param gives; `own` are the parameters for which the command has flags. */
function paramsFrom(
  given: readonly string[] | undefined,
  own: readonly string[],
): Record<string, readonly string[]> {
  const params = new Map<string, readonly string[]>();
  for (const text of given ?? []) {
    const [, name, value] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw invalidInput([{ field: '--param', reason: `${quote(text)} is not name=value` }]);
    }
    if (own.includes(name)) {
      const flag = `--${name.replaceAll('_', '-')}`;
      throw invalidInput([{ field: '--param', reason: `${name} has a flag of its own: ${flag}` }]);
    }
    params.set(name, [...(params.get(name) ?? []), value]);
  }
  return Object.fromEntries(params);
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

function numberFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
