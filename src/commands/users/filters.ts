import { detailsFor, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { guess } from '../../model/names.ts';
import { withoutHoles } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import type { Query } from '../../service/dialect.ts';
import type { Api } from '../../service/service.ts';
import { inOtherFlags, type OtherFlag } from '../lines.ts';
import { duplicateParams } from '../list.ts';
import { truthOf, truthProblem, untakenDetails } from '../options.ts';

/** The flags of `users list` that only some services support, as typed. */
interface FilterFlags {
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
 * @param others parameters of --param.
 * @throws {CliError} exit 2 with all invalid or unsupported values.
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
  const entries = (sort ?? []).map(sortEntry);
  const details = [
    ...detailsFor('--email', email === undefined ? undefined : emailProblem(email)),
    ...detailsFor('--enabled', truthProblem(enabled)),
    ...entries.flatMap((entry, index) => detailsFor('--sort', sortProblem(entry, entries.slice(0, index)))),
    ...duplicateParams({ email, enabled: truthOf(enabled), sort }, others),
  ];
  if (details.length > 0) throw invalidInput(details, 'innctl users list --help');
  return withoutHoles({ email, enabled: truthOf(enabled), sort: sort && entries.map(spelt) });
}

/** Sort fields of the service, by our names and its own. */
const fields: ReadonlyMap<string, string> = new Map([
  ['first_name', 'firstname'],
  ['last_name', 'lastname'],
  ['email', 'email'],
  ['firstname', 'firstname'],
  ['lastname', 'lastname'],
]);

const directions = ['asc', 'desc'];

interface SortEntry {
  readonly text: string;
  /** The service's name; `undefined` for an unknown field. */
  readonly field: string | undefined;
  readonly direction: string;
}

function sortEntry(text: string): SortEntry {
  const [name = '', direction = 'asc'] = text.split(/:(.*)/s);
  return { text, field: fields.get(name), direction };
}

/** `firstname:asc`: the service ignores entries without a direction. */
function spelt({ field, direction }: SortEntry): string {
  return `${field}:${direction}`;
}

function sortProblem(
  { text, field, direction }: SortEntry,
  before: readonly SortEntry[],
): string | undefined {
  if (text === '') return 'must not be empty';
  if (field === undefined) {
    const [name = ''] = text.split(':', 1);
    const known = guess(name, [...fields.keys()], 'write first_name, last_name or email');
    return `${quote(text)} is not a field to sort users by${known}`;
  }
  if (!directions.includes(direction)) return `${quote(text)} ends neither with :asc nor with :desc`;
  return before.some((other) => other.field === field) ? `names ${field} twice` : undefined;
}
