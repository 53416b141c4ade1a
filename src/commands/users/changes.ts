import { idProblem } from '../../api/path.ts';
import type { UserChanges } from '../../api/users.ts';
import type { Context } from '../../context.ts';
import { type Detail, invalidInput, usageError } from '../../errors.ts';
import { entryProblems } from '../options.ts';
import { type PatchFlags, stepsFrom } from '../patch-flags.ts';
import { valueProblems } from './steps.ts';

/** The flags that say what is to change, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly enable?: true;
  readonly disable?: true;
  readonly addProperties?: readonly string[];
  readonly property?: readonly string[];
  readonly setProperties?: readonly string[];
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
  context: Pick<Context, 'stdin' | 'signal'>,
): Promise<UserChanges> {
  const { enable, disable, setProperties } = flags;
  const isSwitched = enable !== undefined || disable !== undefined;
  const properties = setProperties ?? addedIds(flags);
  const paths = [...(isSwitched ? ['/enabled'] : []), ...(properties === undefined ? [] : ['/properties'])];
  const steps = await stepsFrom(paths, flags, context, [...problems, ...flagProblems(flags)]);
  const details = steps.flatMap(valueProblems);
  if (details.length > 0) throw invalidInput(details);
  if (paths.length + steps.length === 0) {
    throw usageError('Nothing is to be changed.', 'innctl users update --help');
  }
  return {
    enabled: isSwitched ? enable === true : undefined,
    setProperties: setProperties && [...new Set(setProperties)],
    addProperties: addedIds(flags),
    steps,
  };
}

function flagProblems(flags: ChangeFlags): readonly Detail[] {
  const { enable, disable, addProperties = [], property = [], setProperties } = flags;
  const isContradictory = setProperties !== undefined && addedIds(flags) !== undefined;
  return [
    ...entryProblems('--add-properties', addProperties, idProblem),
    ...entryProblems('--property', property, idProblem),
    ...settingProblems(setProperties ?? []),
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

/** A shell variable that holds nothing must not take all access away. */
function settingProblems(ids: readonly string[]): readonly Detail[] {
  const field = '--set-properties';
  if (ids.length === 0 || ids.some((id) => id.trim() !== '')) return entryProblems(field, ids, idProblem);
  return [{ field, reason: "must not be empty; for no properties at all write --add '/properties=[]'" }];
}

function addedIds({ addProperties, property }: ChangeFlags): readonly string[] | undefined {
  if (addProperties === undefined && property === undefined) return undefined;
  return [...new Set([...(addProperties ?? []), ...(property ?? [])])];
}
