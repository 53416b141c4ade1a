import type { Api } from '../../api/api.ts';
import type { Query } from '../../api/dialects/dialect.ts';
import { emailProblem } from '../../checks/email.ts';
import type { Context } from '../../context.ts';
import { detailsFor, invalidInput } from '../../errors.ts';
import { beyondDetails } from '../beyond.ts';
import { inOtherFlags, type OtherFlag } from '../other-flags.ts';
import { saidTwice } from '../said-twice.ts';
import { truthOf, truthProblem } from '../truth-flag.ts';
import { sortFrom } from './sort.ts';

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
 * @throws {CliError} exit 2 naming all that is wrong, or that the service does not have.
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
  const beyond = beyondDetails(dialect, { '--email': email, '--enabled': enabled, '--sort': sort });
  if (beyond.length > 0) {
    throw invalidInput(beyond, `Any parameter can be sent: ${inOtherFlags(context.argv, parameters)}`);
  }
  const sorted = sortFrom(sort ?? []);
  const details = [
    ...detailsFor('--email', email === undefined ? undefined : emailProblem(email)),
    ...detailsFor('--enabled', truthProblem(enabled)),
    ...sorted.problems,
    ...saidTwice({ email, enabled: truthOf(enabled), sort }, others),
  ];
  if (details.length > 0) throw invalidInput(details, 'innctl users list --help');
  return { email, enabled: truthOf(enabled), sort: sort && sorted.value };
}
