import type { Extent } from '../api/paging.ts';
import { idProblem } from '../api/path.ts';
import { quote } from '../checks/text.ts';
import { invalidInput, usageError } from '../errors.ts';

/** Collects a repeatable option whose values may also be separated by commas: `BER,VIE`. */
export function collectList(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), ...text.split(',')];
}

/** Collects a repeatable option whose values are taken as they are. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** Property ids of one or two flags, each once, in the order given; `undefined` when no flag was given. */
export function propertyIds(
  given: Readonly<Record<`--${string}`, readonly string[] | undefined>>,
): readonly string[] | undefined {
  const lists = Object.entries(given).filter((entry) => entry[1] !== undefined);
  const details = lists.flatMap(([field, ids = []]) =>
    ids.flatMap((id) => {
      const reason = idProblem(id);
      return reason === undefined ? [] : [{ field, reason }];
    }),
  );
  if (details.length > 0) throw invalidInput(details);
  return lists.length === 0 ? undefined : [...new Set(lists.flatMap(([, ids = []]) => ids))];
}

/** What the flags of a list ask for. */
export interface ExtentFlags {
  readonly limit?: string | undefined;
  readonly all?: true | undefined;
  readonly pageNumber?: string | undefined;
  readonly pageSize?: string | undefined;
}

/**
 * The part of a list that is wanted.
 *
 * @throws {CliError} exit 2, naming every flag that is wrong, or two that contradict each other.
 */
export function extentFrom({ limit, all, pageNumber, pageSize }: ExtentFlags): Extent {
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

/**
 * Query parameters given as `--param name=value`.
 *
 * @param own the parameters for which the command has flags.
 * @throws {CliError} exit 2 when one has no name, or a flag of its own.
 */
export function paramsFrom(
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
