import type { Command } from '@commander-js/extra-typings';
import { type Detail, detailsFor, invalidInput, usageError } from '../cli/errors.ts';
import { collectList } from '../cli/flags.ts';
import type { Session } from '../cli/session.ts';
import { quote } from '../model/text.ts';
import type { Shape } from '../out/output.ts';
import type { Dialect, Query, QueryValue } from '../service/dialect.ts';
import { type OperationId, operations } from '../service/operations.ts';
import type { Extent } from '../service/paging.ts';
import { collect, refuseUnsupported } from './options.ts';
import { type Listed, rememberedPages } from './remember.ts';

type Flags = Record<string, unknown>;

/** The flags of a list, as typed. */
interface ListFlags {
  readonly limit?: string | undefined;
  readonly all?: true | undefined;
  readonly pageNumber?: string | undefined;
  readonly pageSize?: string | undefined;
  readonly param?: readonly string[] | undefined;
}

/** The value of a flag, and its name in messages. */
interface Given {
  readonly flag: string;
  readonly text: string | undefined;
}

/** Adds the flags of all list commands. */
export function withListFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--limit <n>', 'maximum number of results')
    .option('--all', 'list everything (the default without --limit)')
    .option('--page-number <n>', 'list only this page, counted from 1')
    .option('--page-size <n>', 'results per page (default: 100)')
    .option('--param <name=value>', 'add a query parameter (repeatable)', collect);
}

/**
 * Parses the flags of a list. A --param with the name of a parameter that has a flag, in any spelling, sets that flag.
 *
 * @param own values of further flags by parameter name; `undefined` if one is not given.
 * @returns the query parameters, and the part of the list.
 * @throws {CliError} exit 2 with every --param without a name, duplicate, invalid number, and contradiction of flags.
 */
export function listFrom(flags: ListFlags, operation: OperationId, own: Query = {}) {
  const { param = [], pageNumber, pageSize } = flags;
  const params = nameAndValues(param);
  const duplicates = [
    ...duplicateParams({ ...own, page_number: pageNumber, page_size: pageSize }, Object.fromEntries(params)),
  ];
  const paging = new Map<string, Given>([
    ['page_number', { flag: '--page-number', text: pageNumber }],
    ['page_size', { flag: '--page-size', text: pageSize }],
  ]);
  const filter = new Map<string, readonly string[]>();
  const known = [...paging.keys(), ...operations[operation].query];
  for (const [typed, value] of params) {
    const name = known.find((each) => lettersOf(each) === lettersOf(typed));
    const page = name === undefined ? undefined : paging.get(name);
    if (name === undefined) filter.set(typed, [...(filter.get(typed) ?? []), value]);
    // The flag accepts commas.
    else if (page === undefined) filter.set(name, collectList(value, filter.get(name)));
    else if (page.flag.startsWith('--param')) {
      duplicates.push({ field: '--param', reason: `${typed} is given twice` });
    } else paging.set(name, { flag: `--param ${typed}`, text: value });
  }
  if (duplicates.length > 0) throw invalidInput(duplicates);
  const extent = extentFrom(flags, paging.get('page_number'), paging.get('page_size'));
  return { filter: Object.fromEntries(filter), extent };
}

function nameAndValues(param: readonly string[]) {
  const invalid = param.filter((text) => !/^[A-Za-z_][\w.-]*=/.test(text));
  const details = invalid.map((text) => ({ field: '--param', reason: `${quote(text)} is not name=value` }));
  if (details.length > 0) throw invalidInput(details);
  return param.map((text) => {
    const end = text.indexOf('=');
    return [text.slice(0, end), text.slice(end + 1)] as const;
  });
}

function extentFrom({ all, limit }: ListFlags, number: Given | undefined, size: Given | undefined): Extent {
  if (all && limit !== undefined) throw usageError('--all and --limit contradict each other.');
  if (number?.text !== undefined && (all || limit !== undefined)) {
    throw usageError(
      `${number.flag} gives exactly one page; it cannot be combined with ${all ? '--all' : '--limit'}.`,
    );
  }
  const given = [{ flag: '--limit', text: limit }, number, size];
  const details = given.flatMap((each) => {
    if (each?.text === undefined || /^[1-9]\d{0,8}$/.test(each.text)) return [];
    return [{ field: each.flag, reason: `${quote(each.text)} is not a whole number from 1` }];
  });
  if (details.length > 0) throw invalidInput(details);
  const [most, pageNumber, pageSize] = given.map((each) => (each?.text ? Number(each.text) : undefined));
  return { limit: most, pageNumber, pageSize };
}

/** A filter flag that only some dialects have. */
interface Filter {
  /** `undefined` if not given. */
  readonly typed: unknown;
  readonly value: QueryValue | undefined;
  readonly problems: readonly (string | undefined)[];
}

/**
 * The query parameters of filter flags and --param.
 *
 * @param filters by parameter name.
 * @param others the parameters of --param.
 * @throws {CliError} exit 2 with all flags that the dialect does not support, or all invalid values and duplicates.
 */
export function withFilters(
  operation: OperationId,
  filters: Readonly<Record<string, Filter>>,
  others: Query,
  dialect: Dialect,
): Query {
  const given = Object.entries(filters).filter(([, { typed }]) => typed !== undefined);
  const asParams = given.map(([name, { typed }]) => [flagOf(name), ['--param', `${name}=${typed}`]]);
  refuseUnsupported(operation, Object.fromEntries(asParams), 'Any parameter can be sent', dialect);
  const query = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  const details = [
    ...given.flatMap(([name, { problems }]) =>
      problems.flatMap((problem) => detailsFor(flagOf(name), problem)),
    ),
    ...duplicateParams(query, others),
  ];
  const noun = operation.replace('list', '').toLowerCase();
  if (details.length > 0) throw invalidInput(details, `innctl ${noun} list --help`);
  return { ...others, ...query };
}

function flagOf(parameter: string): `--${string}` {
  return `--${parameter.replaceAll('_', '-')}`;
}

/** A list and how to print it. */
export interface PrintedList extends Listed {
  readonly shape: Shape;
}

/** Prints a list and caches its values for completions. */
export async function printList({ shape, ...listed }: PrintedList, session: Session): Promise<void> {
  await session.out.records(shape, rememberedPages(listed, session));
}

/** The letters of a parameter name: `pageSize` and `page_size` are the same. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** The problems of --param names that a flag gives too, in any spelling. */
function duplicateParams(own: Query, further: Query): readonly Detail[] {
  const given = Object.keys(own).filter((name) => own[name] !== undefined);
  return Object.keys(further).flatMap((typed) => {
    const name = given.find((each) => lettersOf(each) === lettersOf(typed));
    return detailsFor('--param', name && `${typed} is given by a flag too: ${flagOf(name)}`);
  });
}
