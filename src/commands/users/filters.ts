import { type Detail, detailsFor, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { nearest } from '../../model/names.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import type { Api } from '../../service/service.ts';
import { inOtherFlags, type OtherFlag } from '../lines.ts';
import { duplicateParams } from '../list.ts';
import { truthOf, truthProblem, untakenDetails } from '../options.ts';

/** The flags of `users list` that not every service has, as typed. */
export interface FilterFlags {
  readonly email?: string | undefined;
  readonly enabled?: string | true | undefined;
  readonly sort?: readonly string[] | undefined;
}

const parameters: Readonly<Record<string, OtherFlag>> = {
  '--email': { takes: 'value', as: (email) => ['--param', `email=${email}`] },
  '--enabled': { takes: 'truth', as: (isEnabled) => ['--param', `enabled=${isEnabled}`] },
  '--sort': { takes: 'value', as: (fields) => ['--param', `sort=${fields}`] },
};

/**
 * The query parameters of these flags.
 *
 * @param others what --param gives.
 * @throws {CliError} exit 2 naming all that is wrong, or that the service does not support.
 */
export function filtersFrom(
  flags: FilterFlags,
  others: Query,
  {
    api: { dialect },
    context,
  }: { readonly api: Pick<Api, 'dialect'>; readonly context: Pick<Context, 'argv'> },
): Query {
  const { email, enabled, sort } = flags;
  const beyond = untakenDetails(dialect, 'listUsers', {
    '--email': email,
    '--enabled': enabled,
    '--sort': sort,
  });
  if (beyond.length > 0) {
    throw invalidInput(beyond, `Any parameter can be sent: ${inOtherFlags(context.argv, parameters)}`);
  }
  const sorted = sortFrom(sort ?? []);
  const details = [
    ...detailsFor('--email', email === undefined ? undefined : emailProblem(email)),
    ...detailsFor('--enabled', truthProblem(enabled)),
    ...sorted.problems,
    ...duplicateParams({ email, enabled: truthOf(enabled), sort }, others),
  ];
  if (details.length > 0) throw invalidInput(details, 'innctl users list --help');
  return { email, enabled: truthOf(enabled), sort: sort && sorted.value };
}

/** The fields to sort by, as the service names them, by our names and its own. */
const fields: ReadonlyMap<string, string> = new Map([
  ['first_name', 'firstname'],
  ['last_name', 'lastname'],
  ['email', 'email'],
  ['firstname', 'firstname'],
  ['lastname', 'lastname'],
]);

const directions = ['asc', 'desc'];

/**
 * The value of --sort as the service spells it: `firstname:asc`. It ignores other spellings silently, so every entry has a
 * direction.
 *
 * @param given `first_name`, `email:desc`.
 */
function sortFrom(given: readonly string[]): {
  readonly value: readonly string[];
  readonly problems: readonly Detail[];
} {
  const entries = given.map(partsOf);
  const problems = entries.flatMap(({ field, direction, text }, index) => {
    const isAgain = entries.slice(0, index).some((other) => other.field === field);
    const reason = problemOf(text, field, direction) ?? (isAgain ? `names ${field} twice` : undefined);
    return reason === undefined ? [] : [{ field: '--sort', reason }];
  });
  return { value: entries.map(({ field, direction }) => `${field}:${direction}`), problems };
}

function partsOf(text: string) {
  const at = text.indexOf(':');
  const name = at === -1 ? text : text.slice(0, at);
  return { text, field: fields.get(name), direction: at === -1 ? 'asc' : text.slice(at + 1) };
}

function problemOf(text: string, field: string | undefined, direction: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (field === undefined) {
    const meant = nearest(text.split(':', 1)[0] ?? '', [...fields.keys()]);
    const known = meant === undefined ? 'first_name, last_name or email' : `did you mean ${meant}?`;
    return `${quote(text)} is not a field to sort users by: ${known}`;
  }
  return directions.includes(direction) ? undefined : `${quote(text)} ends neither with :asc nor with :desc`;
}
