import type { Command } from '@commander-js/extra-typings';
import { type Detail, detailsFor, refuseInvalid, usageError } from '../cli/errors.ts';
import { collect, collectList } from '../cli/flags.ts';
import type { Session } from '../cli/session.ts';
import { quote } from '../model/text.ts';
import { wholeProblem } from '../model/values.ts';
import type { Shape } from '../print/output.ts';
import type { Query, QueryValue } from '../service/dialect.ts';
import { type OperationId, operations } from '../service/operations.ts';
import type { Extent } from '../service/paging.ts';
import { unsupportedDetails } from './options.ts';
import { type Listed, rememberedPages } from './remember.ts';

type Flags = Record<string, unknown>;

/** The flags of a list, as typed. */
export interface ListFlags {
  readonly limit?: string | undefined;
  readonly all?: true | undefined;
  readonly pageNumber?: string | undefined;
  readonly pageSize?: string | undefined;
  readonly param?: readonly string[] | undefined;
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
 * Parses the flags of a list. A --param with the name of a parameter that has a flag, in any spelling, sets that flag; one
 * that the operation does not know is a warning.
 *
 * @param own values of further flags by parameter name; `undefined` if one is not given.
 * @returns the query parameters, and the part of the list.
 * @throws {CliError} exit 2 with every --param without a name, duplicate, invalid number, and contradiction of flags.
 */
export async function listFrom(flags: ListFlags, operation: OperationId, session: Session, own: Query = {}) {
  const params = nameAndValues(flags.param ?? []);
  const paging = { page_number: flags.pageNumber, page_size: flags.pageSize };
  const { query } = operations[operation];
  const known = [...Object.keys(paging), ...query];
  const { dialect } = session.api;
  const sentAs = (name: string) => String(dialect.query(operation, { [name]: '' }));
  const further = (dialect.further[operation] ?? []).map(sentAs);
  const given = new Map<string, readonly string[]>();
  for (const [typed, value] of params) {
    const name = known.find((each) => lettersOf(each) === lettersOf(typed));
    // A flag accepts commas.
    if (name === undefined) given.set(typed, [...(given.get(typed) ?? []), value]);
    else given.set(name, collectList(value, given.get(name)));
  }
  const { page_number: numbers = [], page_size: sizes = [], ...filter } = Object.fromEntries(given);
  refuseInvalid([
    ...duplicateParams({ ...own, ...paging }, Object.fromEntries(params)),
    ...(numbers.length > 1 ? detailsFor('--param', 'page_number is given twice') : []),
    ...(sizes.length > 1 ? detailsFor('--param', 'page_size is given twice') : []),
  ]);
  const [pageNumber = flags.pageNumber] = numbers;
  const [pageSize = flags.pageSize] = sizes;
  const extent = extentFrom({ ...flags, pageNumber, pageSize });
  for (const name of given.keys())
    if (!known.includes(name) && !further.includes(sentAs(name)))
      await session.out.warn(`--param ${name} is not a known parameter here; the service may ignore it.`);
  return { filter, extent };
}

function nameAndValues(param: readonly string[]) {
  const invalid = param.filter((text) => !/^[A-Za-z_][\w.-]*=/.test(text));
  refuseInvalid(invalid.map((text) => ({ field: '--param', reason: `${quote(text)} is not name=value` })));
  return param.map((text) => {
    const end = text.indexOf('=');
    return [text.slice(0, end), text.slice(end + 1)] as const;
  });
}

function extentFrom({ all, limit, pageNumber, pageSize }: ListFlags): Extent {
  if (all && limit !== undefined) throw usageError('--all and --limit contradict each other.');
  if (pageNumber !== undefined && (all || limit !== undefined)) {
    throw usageError(
      `--page-number gives exactly one page; it cannot be combined with ${all ? '--all' : '--limit'}.`,
    );
  }
  const given = { '--limit': limit, '--page-number': pageNumber, '--page-size': pageSize };
  refuseInvalid(Object.entries(given).flatMap(([field, text]) => detailsFor(field, wholeProblem(text))));
  const [most, number, size] = Object.values(given).map((text) => (text ? Number(text) : undefined));
  return { limit: most, pageNumber: number, pageSize: size };
}

/** A filter flag that only some dialects have. */
export interface Filter {
  /** `undefined` if not given. */
  readonly typed: unknown;
  readonly value: QueryValue | undefined;
  /** Default: the name of the parameter. */
  readonly flag?: `--${string}`;
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
  session: Session,
): Query {
  const given = Object.entries(filters).filter(([, { typed }]) => typed !== undefined);
  const query = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  const flags = Object.fromEntries(given.map(([name]) => [flagOf(name), true]));
  const unsupported = unsupportedDetails(session.api.dialect, operation, flags);
  const wrong = [
    ...given.flatMap(([name, { problems, flag = flagOf(name) }]) =>
      problems.flatMap((problem) => detailsFor(flag, problem)),
    ),
    ...duplicateParams(query, others),
  ];
  const noun = operation
    .replace(/^list/, '')
    .replaceAll(/(?<=.)[A-Z]/g, '-$&')
    .toLowerCase();
  refuseInvalid(unsupported.length > 0 ? unsupported : wrong, `innctl ${noun} list --help`);
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
