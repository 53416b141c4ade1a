import { type Detail, detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { UserChanges } from '../../model/access-change.ts';
import { textProblem } from '../../model/text.ts';
import { beyondDetails, inOtherFlags, type OtherFlag } from '../beyond.ts';
import { type PatchFlags, stepsFrom, type TruthFlag, truthOf, truthProblem } from '../changes.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';
import { valueProblems } from './outcome.ts';

/** The flags that say what is to change, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly enable?: true;
  readonly disable?: true;
  readonly addProperties?: readonly string[];
  readonly property?: readonly string[];
  readonly removeProperties?: readonly string[];
  readonly setProperties?: readonly string[];
  readonly firstName?: string;
  readonly lastName?: string;
  readonly isAccountAdmin?: TruthFlag;
}

/** The flags of one dialect, as paths. */
const patching: Readonly<Record<string, OtherFlag>> = {
  '--first-name': { takes: 'value', as: (name) => ['--set', `/firstName=${JSON.stringify(name)}`] },
  '--last-name': { takes: 'value', as: (name) => ['--set', `/lastName=${JSON.stringify(name)}`] },
  '--is-account-admin': { takes: 'truth', as: (isAdmin) => ['--set', `/isAccountAdmin=${isAdmin}`] },
};

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
  refuseBeyondFlags(flags, api, context.argv);
  const { enable, disable } = flags;
  const named = namedSteps(flags);
  const isSwitched = enable !== undefined || disable !== undefined;
  const properties = propertiesIn(flags);
  const paths = [
    ...(isSwitched ? ['/enabled'] : []),
    ...(Object.values(properties).some((ids) => ids !== undefined) ? ['/properties'] : []),
    ...named.map(({ path }) => path),
  ];
  const wrong = [...problems, ...(await flagProblems(flags, api))];
  const steps = await stepsFrom(paths, flags, context, wrong);
  const details = steps.flatMap(valueProblems);
  if (details.length > 0) throw invalidInput(details);
  if (paths.length + steps.length === 0) {
    throw usageError('Nothing is to be changed.', 'innctl users update --help');
  }
  return { enabled: isSwitched ? enable === true : undefined, ...properties, steps: [...named, ...steps] };
}

/** Of no property is one added or removed: that changes nothing. */
function propertiesIn({ addProperties, property, removeProperties, setProperties }: ChangeFlags) {
  const some = (ids: readonly string[] | undefined) => (ids?.length === 0 ? undefined : ids);
  return {
    setProperties: idList(setProperties),
    addProperties: some(idList(addProperties, property)),
    removeProperties: some(idList(removeProperties)),
  };
}

/** @throws {CliError} exit 2 naming the flags that are not for this service. */
function refuseBeyondFlags(flags: ChangeFlags, { dialect }: Session['api'], argv: readonly string[]): void {
  const details = beyondDetails(dialect, 'updateUser', {
    '--first-name': flags.firstName,
    '--last-name': flags.lastName,
    '--is-account-admin': flags.isAccountAdmin,
  });
  if (details.length > 0)
    throw invalidInput(details, `Any path can be sent: ${inOtherFlags(argv, patching)}`);
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
  const { enable, disable, addProperties, property, removeProperties, setProperties } = flags;
  const isEdited = (addProperties ?? property ?? removeProperties) !== undefined;
  const check = await openIdCheck(
    idList(addProperties, property, removeProperties, setProperties) ?? [],
    api,
  );
  return [
    ...entryProblems('--add-properties', idList(addProperties) ?? [], check),
    ...entryProblems('--property', idList(property) ?? [], check),
    ...entryProblems('--remove-properties', idList(removeProperties) ?? [], check),
    ...settingProblems(idList(setProperties) ?? [], check),
    ...contradictions(flags),
    ...nameProblems(flags),
    ...(enable && disable ? [{ field: '--disable', reason: 'contradicts --enable: give one of them' }] : []),
    ...(setProperties !== undefined && isEdited
      ? [
          {
            field: '--set-properties',
            reason: 'sets all properties: give it alone, or add to and remove from those that are there',
          },
        ]
      : []),
  ];
}

function contradictions({ addProperties, property, removeProperties = [] }: ChangeFlags): readonly Detail[] {
  const both = (idList(addProperties, property) ?? []).filter((id) => removeProperties.includes(id));
  return both.map((id) => ({ field: '--remove-properties', reason: `${id} is to be added as well` }));
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
  return [{ field, reason: 'must not be empty; for no properties at all write []' }];
}
