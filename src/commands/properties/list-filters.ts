import { invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { countryProblem } from '../../model/codes.ts';
import { statusNamed, statusProblem } from '../../model/property-fields.ts';
import { quote } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import type { Api } from '../../service/service.ts';
import { inOtherFlags, type OtherFlag } from '../lines.ts';
import { duplicateParams } from '../list.ts';
import { entryProblems, refuseUntaken } from '../options.ts';

/** The filter flags, as typed. */
interface PropertyFilters {
  readonly status?: readonly string[];
  readonly countryCode?: readonly string[];
  readonly includeArchived?: true;
  readonly expand?: readonly string[];
}

const parameters: Readonly<Record<string, OtherFlag>> = {
  '--status': { takes: 'value', as: (status) => ['--param', `status=${status}`] },
  '--country-code': { takes: 'value', as: (code) => ['--param', `country_code=${code}`] },
  '--include-archived': { takes: 'nothing', as: () => ['--param', 'include_archived=true'] },
  '--expand': { takes: 'value', as: (names) => ['--param', `expand=${names}`] },
};

/**
 * The query parameters of filter flags and --param, without duplicates.
 *
 * @param further the parameters of --param.
 * @throws {CliError} exit 2 with all flags that the dialect does not support, or all invalid values.
 */
export function filterFrom(
  { status, countryCode, includeArchived, expand }: PropertyFilters,
  further: Query,
  { api, context }: { readonly api: Pick<Api, 'dialect'>; readonly context: Pick<Context, 'argv'> },
): Query {
  const flags = {
    '--status': status,
    '--country-code': countryCode,
    '--include-archived': includeArchived,
    '--expand': expand,
  };
  refuseUntaken(
    api,
    'listProperties',
    flags,
    `Any parameter can be sent: ${inOtherFlags(context.argv, parameters)}`,
  );
  const named = {
    ...(status && { status: [...new Set(status.map((text) => statusNamed(text) ?? text))] }),
    ...(countryCode && { country_code: [...new Set(countryCode)] }),
    ...(includeArchived && { include_archived: true }),
    ...(expand && { expand: [...new Set(expand)] }),
  };
  const details = [
    ...entryProblems('--status', status ?? [], statusProblem),
    ...entryProblems('--expand', expand ?? [], (name) => expansionProblem(name, api.dialect.expansions)),
    ...entryProblems('--country-code', countryCode ?? [], countryProblem),
    ...duplicateParams(named, further),
  ];
  if (details.length > 0) throw invalidInput(details);
  return { ...named, ...further };
}

/** The only value of expand in the contract. */
export const EXPANSION = 'unitGroups';

/**
 * The problem with a value of --expand, or `undefined`.
 *
 * @param expansions all known values; `undefined` if unknown.
 */
export function expansionProblem(
  name: string,
  expansions: readonly string[] | undefined,
): string | undefined {
  if (expansions !== undefined) {
    if (expansions.includes(name)) return undefined;
    return `${quote(name)} is not known to this service: write ${expansions.join(' or ')}`;
  }
  if (/^[A-Za-z\d]{1,100}$/.test(name)) return undefined;
  return `${quote(name)} is not a name of letters and digits such as ${EXPANSION}`;
}
