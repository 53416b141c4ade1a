import type { Command } from '@commander-js/extra-typings';
import { type Detail, detailsFor, refuseInvalid, usageError } from '../model/errors.ts';
import { type Filter, oneRoleProblem } from '../model/kinds.ts';
import { groupBy, type Page, type ServiceRecord } from '../model/records.ts';
import { choiceProblem, counted, entryReasons, quote, textProblem } from '../model/text.ts';
import { wholeProblem } from '../model/values.ts';
import type { Shape } from '../print/output.ts';
import { type Query, type QueryValue, takes } from '../service/dialect.ts';
import { type OperationId, operations } from '../service/operations.ts';
import { type Extent, readAll, whole } from '../service/paging.ts';
import type { Api } from '../service/service.ts';
import { collect, collectList } from '../session/command-line.ts';
import type { Session } from '../session/session.ts';
import { typedValue } from './fields.ts';
import { propertyIds, truthOf, truthProblem, unsupportedDetails } from './options.ts';
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
  const params = paramsIn(flags.param ?? []);
  const paging = { page_number: flags.pageNumber, page_size: flags.pageSize };
  refuseInvalid(duplicateParams({ ...own, ...paging }, Object.fromEntries(params)));
  const { dialect } = session.api;
  const sentAs = (name: string) => String(dialect.query(operation, { [name]: '' }));
  const further = (dialect.further[operation] ?? []).map(sentAs);
  const known = [...Object.keys(paging), ...operations[operation].query];
  const nameOf = (typed: string) => known.find((each) => lettersOf(each) === lettersOf(typed)) ?? typed;
  const groups = groupBy(params, ([typed]) => nameOf(typed));
  const given = [...groups].map(([name, all]) => {
    const values = all.map(([, value]) => value);
    // A flag accepts commas.
    return [name, known.includes(name) ? values.flatMap((value) => collectList(value, [])) : values] as const;
  });
  const { page_number: number, page_size: size, ...filter } = Object.fromEntries(given);
  const pageNumber = number?.join(',') ?? flags.pageNumber;
  const extent = extentFrom({ ...flags, pageNumber, pageSize: size?.join(',') ?? flags.pageSize });
  for (const name of Object.keys(filter))
    if (!known.includes(name) && !further.includes(sentAs(name)))
      await session.out.warn(`--param ${name} is not a known parameter here; the service may ignore it.`);
  return { filter, extent };
}

/**
 * Parses the flags of a list that is filtered by properties: by a flag, its synonym --property, and --param.
 *
 * @returns as `listFrom`, and the ids.
 * @throws {CliError} as `listFrom`; exit 2 with all invalid ids.
 */
export async function listOfProperties(
  parameter: 'property_id' | 'property_ids',
  flags: ListFlags & { readonly property?: readonly string[] },
  operation: OperationId,
  session: Session,
) {
  const flag = flagOf(parameter);
  const byId = typedValue(flags, flag.slice(2)) as readonly string[] | undefined;
  const own = { [parameter]: byId ?? flags.property };
  const { filter, extent } = await listFrom(flags, operation, session, own);
  const given = { [flag]: byId, '--property': flags.property, '--param': filter[parameter] };
  return { filter, extent, ids: await propertyIds(given, session.api) };
}

function paramsIn(param: readonly string[]) {
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

/** A filter, and what its flag means. */
export interface FilterFlag extends Omit<Filter, 'text'> {
  /** The value of a text that was typed in another form. */
  readonly read?: (text: string) => string;
  /** Answers it here, where the service has no such filter. */
  readonly here?: ((value: QueryValue | undefined) => RecordTest) | undefined;
}

/** A filter that is answered here. */
export interface RecordTest {
  /** What a record must show for it: `a readable date`. */
  readonly needs: string;
  /** `undefined` if the record does not show it. */
  readonly passes: (record: ServiceRecord) => boolean | undefined;
  /** The roles that it names. */
  readonly roles?: readonly string[];
}

/**
 * The query parameters of filter flags and --param, and the filters that are answered here.
 *
 * @param flags as typed.
 * @param others the parameters of --param.
 * @throws {CliError} exit 2 with all flags that the dialect does not support, or all invalid values and duplicates.
 */
export function withFilters(
  operation: OperationId,
  filters: readonly FilterFlag[],
  flags: object,
  others: Query,
  session: Session,
) {
  const { dialect } = session.api;
  const given = filters.flatMap((filter) => {
    const typed = typedValue(flags, filter.flag);
    return typed === undefined ? [] : [{ ...filter, ...readFilter(typed, filter) }];
  });
  const here = given.filter((each) => each.here !== undefined && !takes(dialect, operation, each.parameter));
  const sent = given.filter((each) => !here.includes(each));
  const query: Query = Object.fromEntries(sent.map(({ parameter, value }) => [parameter, value]));
  const names = Object.fromEntries(sent.map(({ parameter }) => [flagOf(parameter), true]));
  const unsupported = unsupportedDetails(dialect, operation, names);
  const wrong = [
    ...given.flatMap(({ flag, problems }) => problems.flatMap((problem) => detailsFor(`--${flag}`, problem))),
    ...duplicateParams(query, others),
  ];
  const noun = operation
    .replace(/^list/, '')
    .replaceAll(/(?<=.)[A-Z]/g, '-$&')
    .toLowerCase();
  refuseInvalid(unsupported.length > 0 ? unsupported : wrong, `innctl ${noun} list --help`);
  return { filter: { ...others, ...query }, tests: here.flatMap((each) => each.here?.(each.value) ?? []) };
}

/** --role, which no service has. @param rolesIn those of a record; `undefined` if it does not show them. */
export function roleFilter(rolesIn: (record: ServiceRecord) => readonly string[] | undefined): FilterFlag {
  const here = (wanted: QueryValue | undefined) => {
    const roles = [wanted].flat().map(String);
    const passes = (record: ServiceRecord) => rolesIn(record)?.some((role) => roles.includes(role));
    return { needs: 'readable roles', passes, roles };
  };
  return { parameter: 'role', flag: 'role', value: 'names', check: oneRoleProblem, here };
}

/** The records that pass all tests; warns of those that do not show what one needs. @param done is not done with these. */
export async function passing(
  records: readonly ServiceRecord[],
  tests: readonly RecordTest[],
  [one, several]: Shape['noun'],
  done: 'listed' | 'withdrawn',
  { out }: Pick<Session, 'out'>,
): Promise<readonly ServiceRecord[]> {
  const left = records.filter((record) => tests.every(({ passes }) => passes(record) !== false));
  const lackOf = (record: ServiceRecord) => tests.find(({ passes }) => passes(record) === undefined)?.needs;
  const byLack = groupBy(left, lackOf);
  for (const [lack, { length }] of byLack) {
    const are = length === 1 ? 'is' : 'are';
    if (lack !== undefined)
      await out.warn(`${counted(length, one, several)} without ${lack} ${are} not ${done}.`);
  }
  return byLack.get(undefined) ?? [];
}

/**
 * The wanted part of the records that pass all tests; without tests the list as the service pages it. If none pass, roles that
 * the service does not list are refused.
 *
 * @throws {CliError} `incomplete_list`.
 */
export async function* listPassing(
  { list, listAll }: Pick<Api['users' | 'invitations'], 'list' | 'listAll'>,
  { filter, extent }: Pick<Listed, 'filter' | 'extent'>,
  tests: readonly RecordTest[],
  noun: Shape['noun'],
  session: Session,
): AsyncGenerator<Page> {
  if (tests.length === 0) return yield* list(filter, extent);
  const all = await readAll(listAll(filter), noun[1], `look for ${noun[1]}`);
  const items = await passing(all, tests, noun, 'listed', session);
  const pages = whole(Promise.resolve({ items, count: undefined }), extent, session.out.warn, all);
  const words = tests.flatMap(({ roles = [] }) => roles);
  const roles = () => session.api.roles.list({}, {});
  const { refusingUnlisted } = await import('../change/suggest.ts');
  yield* refusingUnlisted(pages, { noun: ['role', 'roles'], words, list: roles, fields: ['name'] }, session);
}

/** The value of a filter for the service, and what is wrong with what was typed. */
function readFilter(typed: string | true | readonly string[], filter: FilterFlag) {
  const { value: form, choices, check = textProblem, read = (text: string) => text } = filter;
  if (form === 'true|false') {
    const given = typeof typed === 'string' ? typed : true;
    return { value: truthOf(given), problems: [truthProblem(given)] };
  }
  const texts = typed === true ? [] : typed;
  const problem = choices === undefined ? check : (text: string) => choiceProblem(text, choices);
  const value = typeof texts === 'string' ? read(texts) : [...new Set(texts.map(read))];
  return { value, problems: entryReasons(texts, problem) };
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
