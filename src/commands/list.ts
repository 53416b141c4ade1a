import type { Command } from '@commander-js/extra-typings';
import { type Detail, invalidInput, usageError } from '../cli/errors.ts';
import { collectList } from '../cli/flags.ts';
import type { Session } from '../cli/session.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import type { Column, Shape } from '../out/output.ts';
import { neutraliseLine } from '../out/text.ts';
import type { Query } from '../service/dialect.ts';
import { type OperationId, operations } from '../service/operations.ts';
import type { Extent } from '../service/paging.ts';
import { collect } from './options.ts';
import { type Listed, rememberList, watchList } from './remember/remember.ts';

type Flags = Record<string, unknown>;

/** The flags of a list, as typed. */
interface ListFlags {
  readonly limit?: string | undefined;
  readonly all?: true | undefined;
  readonly pageNumber?: string | undefined;
  readonly pageSize?: string | undefined;
  readonly param?: readonly string[] | undefined;
}

/** The query parameters that --param gives, and the part of the list that is wanted. */
interface WantedList {
  readonly filter: Readonly<Record<string, readonly string[]>>;
  readonly extent: Extent;
}

/** A --param. */
interface Param {
  /** Its name as typed. */
  readonly typed: string;
  /** The contract's name, where there is a flag for it. */
  readonly name: string | undefined;
  readonly value: string;
}

/** The word after a flag. */
interface Given {
  readonly flag: string;
  readonly text: string | undefined;
}

/** The parameters that ask for a page: they have flags in every list. */
const PAGE: readonly string[] = ['page_number', 'page_size'];

/** Adds the flags that every list has: how much of it, and query parameters that the contract only mentions. */
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
 * What the flags of a list ask for. What --param gives under a name that has a flag, in either spelling, is what the flag
 * would give.
 *
 * @param own what further flags give, by the names of their parameters; `undefined` where one is not given.
 * @throws {CliError} exit 2 naming every --param without a name, what is given twice, every number that is wrong, and two
 *   flags that contradict each other.
 */
export function listFrom(flags: ListFlags, operation: OperationId, own: Query = {}): WantedList {
  const { param = [], limit, all, pageNumber, pageSize } = flags;
  const params = paramsFrom(param, [...PAGE, ...operations[operation].query]);
  const ofFlags = { ...own, page_number: pageNumber, page_size: pageSize };
  const typed = Object.fromEntries(params.map(({ typed, value }) => [typed, value]));
  const twice = [...duplicateParams(ofFlags, typed), ...pagedTwice(params)];
  if (twice.length > 0) throw invalidInput(twice);
  const page = (name: string, flag: string, text: string | undefined): Given => {
    const given = params.find((each) => each.name === name);
    return given === undefined ? { flag, text } : { flag: `--param ${given.typed}`, text: given.value };
  };
  const extent = extentFrom(all === true, {
    limit: { flag: '--limit', text: limit },
    pageNumber: page('page_number', '--page-number', pageNumber),
    pageSize: page('page_size', '--page-size', pageSize),
  });
  return { filter: filterFrom(params), extent };
}

/** The part of a list that is wanted. */
function extentFrom(all: boolean, given: Readonly<Record<keyof Extent, Given>>): Extent {
  const { limit, pageNumber, pageSize } = given;
  if (all && limit.text !== undefined) throw usageError('--all and --limit contradict each other.');
  if (pageNumber.text !== undefined && (all || limit.text !== undefined)) {
    throw usageError(
      `${pageNumber.flag} gives exactly one page: it does not go with ${all ? '--all' : '--limit'}.`,
    );
  }
  const details = Object.values(given).flatMap(({ flag: field, text }) =>
    text === undefined || isCount(text)
      ? []
      : [{ field, reason: `${quote(text)} is not a whole number from 1` }],
  );
  if (details.length > 0) throw invalidInput(details);
  return {
    limit: numberFrom(limit),
    pageNumber: numberFrom(pageNumber),
    pageSize: numberFrom(pageSize),
  };
}

/** @param known the contract's names of parameters that have flags. */
function paramsFrom(given: readonly string[], known: readonly string[]): readonly Param[] {
  return given.map((text) => {
    const [, typed, value] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? [];
    if (typed === undefined || value === undefined) {
      throw invalidInput([{ field: '--param', reason: `${quote(text)} is not name=value` }]);
    }
    const name = known.find((each) => lettersOf(each) === lettersOf(typed));
    return { typed, name, value };
  });
}

function pagedTwice(params: readonly Param[]): readonly Detail[] {
  return params
    .filter(
      ({ name }, index) =>
        PAGE.includes(name ?? '') && params.findIndex((each) => each.name === name) < index,
    )
    .map(({ typed }) => ({ field: '--param', reason: `${typed} is given twice` }));
}

/** All but the page. The values of a known parameter are those of its flag, which takes commas. */
function filterFrom(params: readonly Param[]): WantedList['filter'] {
  const filter = new Map<string, readonly string[]>();
  for (const { typed, name, value } of params) {
    if (name !== undefined && PAGE.includes(name)) continue;
    const before = filter.get(name ?? typed);
    const values = name === undefined ? [...(before ?? []), value] : collectList(value, before);
    filter.set(name ?? typed, values);
  }
  return Object.fromEntries(filter);
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

function numberFrom({ text }: Given): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** A list as it is printed. */
export interface PrintedList extends Listed {
  readonly shape: Shape;
}

/** Prints a list and keeps its values for completions. */
export async function printList(
  { shape, ...listed }: PrintedList,
  session: Pick<Session, 'context' | 'folders' | 'out' | 'settings'>,
): Promise<void> {
  const { pages, seen } = watchList(listed);
  await session.out.records(shape, pages);
  await rememberList(session, seen());
}

/**
 * Reads a short list of records whose fields the contract does not show, to choose the columns of tables: those of the shape's
 * columns that a record has, and the first one always; if no record has that one, the plain fields of the first record.
 */
export async function withOpenShape<List extends PrintedList>(list: List): Promise<List> {
  const read: Page[] = [];
  for await (const page of list.pages) read.push(page);
  const records = read.flatMap(({ items }) => items);
  const shape = { ...list.shape, columns: columnsFor(records, list.shape.columns) };
  return { ...list, shape, pages: again(read) };
}

async function* again(pages: readonly Page[]): AsyncGenerator<Page> {
  yield* pages;
}

function columnsFor(records: readonly ServiceRecord[], columns: readonly Column[]): readonly Column[] {
  const isShown = ({ field }: Column) => records.some((record) => Object.hasOwn(record, field));
  const [first, ...others] = columns;
  if (first === undefined) return [];
  const plain = isShown(first) ? [] : plainFields(records[0] ?? {});
  return plain.length > 0 ? plain : [first, ...others.filter(isShown)];
}

function plainFields(record: ServiceRecord): readonly Column[] {
  return Object.entries(record)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([field]) => ({ field, header: neutraliseLine(field) }));
}

/** What the spellings of a parameter have in common: `pageSize`, `page_size`. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/**
 * The parameters of --param, in any spelling, that a flag gives as well.
 *
 * @param own what flags give, by the names of the parameters; `undefined` where a flag is not given.
 */
export function duplicateParams(own: Query, further: Query): readonly Detail[] {
  const given = Object.keys(own).filter((name) => own[name] !== undefined);
  const flags = new Map(given.map((name) => [lettersOf(name), `--${name.replaceAll('_', '-')}`]));
  return Object.keys(further).flatMap((name) => {
    const flag = flags.get(lettersOf(name));
    return flag === undefined
      ? []
      : [{ field: '--param', reason: `${name} is given by a flag too: ${flag}` }];
  });
}
