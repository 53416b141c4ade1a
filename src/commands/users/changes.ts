import type { UserChanges } from '../../api/users.ts';
import { textProblem } from '../../checks/text.ts';
import { type Detail, detailsFor, invalidInput, usageError } from '../../errors.ts';
import type { Session } from '../../session.ts';
import { beyondDetails } from '../beyond.ts';
import { entryProblems, openIdCheck } from '../options.ts';
import { type PatchFlags, stepsFrom } from '../patch-flags.ts';
import { type TruthFlag, truthOf, truthProblem } from '../truth-flag.ts';
import { valueProblems } from './steps.ts';

/** The flags that say what is to change, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly enable?: true;
  readonly disable?: true;
  readonly addProperties?: readonly string[];
  readonly property?: readonly string[];
  readonly setProperties?: readonly string[];
  readonly firstName?: string;
  readonly lastName?: string;
  readonly isAccountAdmin?: TruthFlag;
}

/**
 * What the flags say is to change, checked.
 *
 * @param problems what is wrong with the rest of the command line, to be told at the same time.
 * @throws {CliError} exit 2 naming all that is wrong, or when nothing is to change.
 */
export async function changesFrom(
  flags: ChangeFlags,
  problems: readonly Detail[],
  { api, context }: Pick<Session, 'api' | 'context'>,
): Promise<UserChanges> {
  refuseBeyondFlags(flags, api);
  const { enable, disable, setProperties } = flags;
  const named = namedSteps(flags);
  const isSwitched = enable !== undefined || disable !== undefined;
  const properties = setProperties ?? addedIds(flags);
  const paths = [
    ...(isSwitched ? ['/enabled'] : []),
    ...(properties === undefined ? [] : ['/properties']),
    ...named.map(({ path }) => path),
  ];
  const wrong = [...problems, ...(await flagProblems(flags, api))];
  const steps = await stepsFrom(paths, flags, context, wrong);
  const details = steps.flatMap(valueProblems);
  if (details.length > 0) throw invalidInput(details);
  if (paths.length + steps.length === 0) {
    throw usageError('Nothing is to be changed.', 'innctl users update --help');
  }
  return {
    enabled: isSwitched ? enable === true : undefined,
    setProperties: setProperties && [...new Set(setProperties)],
    addProperties: addedIds(flags),
    steps: [...named, ...steps],
  };
}

/** @throws {CliError} exit 2 naming the flags that are not for this service. */
function refuseBeyondFlags(flags: ChangeFlags, { dialect }: Session['api']): void {
  const details = beyondDetails(dialect, {
    '--first-name': flags.firstName,
    '--last-name': flags.lastName,
    '--is-account-admin': flags.isAccountAdmin,
  });
  if (details.length === 0) return;
  throw invalidInput(
    details,
    `Any path can be sent: innctl users update ben@example.com --set '/firstName="Ben"'`,
  );
}

/** The steps of the flags that name one field each; what is wrong with their values is told elsewhere. */
function namedSteps({ firstName, lastName, isAccountAdmin }: ChangeFlags) {
  const values = {
    '/first_name': firstName,
    '/last_name': lastName,
    '/is_account_admin': truthOf(isAccountAdmin),
  };
  return Object.entries(values).flatMap(([path, value]) =>
    value === undefined ? [] : [{ op: 'replace', path, value } as const],
  );
}

async function flagProblems(flags: ChangeFlags, api: Session['api']): Promise<readonly Detail[]> {
  const { enable, disable, addProperties = [], property = [], setProperties } = flags;
  const check = await openIdCheck([...addProperties, ...property, ...(setProperties ?? [])], api);
  const isContradictory = setProperties !== undefined && addedIds(flags) !== undefined;
  return [
    ...entryProblems('--add-properties', addProperties, check),
    ...entryProblems('--property', property, check),
    ...settingProblems(setProperties ?? [], check),
    ...nameProblems(flags),
    ...(enable && disable ? [{ field: '--disable', reason: 'contradicts --enable: give one of them' }] : []),
    ...(isContradictory
      ? [
          {
            field: '--set-properties',
            reason: 'sets all properties: give it alone, or add to those that are there',
          },
        ]
      : []),
  ];
}

function nameProblems({ firstName, lastName, isAccountAdmin }: ChangeFlags): readonly Detail[] {
  return [
    ...detailsFor('--first-name', firstName === undefined ? undefined : textProblem(firstName)),
    ...detailsFor('--last-name', lastName === undefined ? undefined : textProblem(lastName)),
    ...detailsFor('--is-account-admin', truthProblem(isAccountAdmin)),
  ];
}

/** A shell variable that holds nothing must not take all access away. */
function settingProblems(
  ids: readonly string[],
  check: (id: string) => string | undefined,
): readonly Detail[] {
  const field = '--set-properties';
  if (ids.length === 0 || ids.some((id) => id.trim() !== '')) return entryProblems(field, ids, check);
  return [{ field, reason: "must not be empty; for no properties at all write --add '/properties=[]'" }];
}

function addedIds({ addProperties, property }: ChangeFlags): readonly string[] | undefined {
  if (addProperties === undefined && property === undefined) return undefined;
  return [...new Set([...(addProperties ?? []), ...(property ?? [])])];
}
