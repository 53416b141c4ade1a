import type { PatchStep } from '../../api/patch.ts';
import { idProblem } from '../../api/path.ts';
import type { UserChanges } from '../../api/users.ts';
import type { Context } from '../../context.ts';
import { CliError, type Detail, invalidInput, usageError } from '../../errors.ts';
import { type PatchFlags, stepsFrom } from '../patch-flags.ts';
import { touches, valueProblems } from './steps.ts';

/** The flags that say what is to change, as typed. */
export interface ChangeFlags extends PatchFlags {
  readonly enable?: true;
  readonly disable?: true;
  readonly addProperties?: readonly string[];
  readonly property?: readonly string[];
  readonly setProperties?: readonly string[];
}

/** What is to change: operations as they are sent, and properties to be added to those that are there. */
export type Changes = Pick<UserChanges, 'steps' | 'addProperties'>;

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
): Promise<Changes> {
  const details = [...problems, ...flagProblems(flags)];
  const hint = isEmptied(flags) ? 'No properties at all: --set /properties=[]' : undefined;
  const enabled = enabledSteps(flags);
  const own = [...enabled, ...propertySteps(flags)];
  const all = await stepsFrom(own, flags, context).catch(togetherWith(details, hint));
  const further = all.slice(own.length);
  details.push(...own.flatMap((step) => changedTwice(step, further)), ...further.flatMap(valueProblems));
  if (details.length > 0) throw invalidInput(details, hint);
  if (all.length === 0) throw usageError('Nothing is to be changed.', 'innctl users update --help');
  const addProperties = addedIds(flags);
  return { steps: addProperties === undefined ? all : [...enabled, ...further], addProperties };
}

function flagProblems(flags: ChangeFlags): readonly Detail[] {
  const { enable, disable, setProperties } = flags;
  const lists = { '--add-properties': flags.addProperties, '--property': flags.property };
  const ids = Object.entries({ ...lists, '--set-properties': setProperties }).flatMap(([field, list = []]) =>
    list.flatMap((id) => {
      const reason = idProblem(id);
      return reason === undefined ? [] : [{ field, reason }];
    }),
  );
  if (enable && disable) ids.push({ field: '--disable', reason: 'contradicts --enable: give one of them' });
  if (setProperties !== undefined && addedIds(flags) !== undefined) {
    ids.push({
      field: '--set-properties',
      reason: 'sets all properties: give it alone, or add to those that are there',
    });
  }
  return ids;
}

/** A shell variable that holds nothing must not take all access away. */
function isEmptied({ setProperties }: ChangeFlags): boolean {
  return setProperties?.every((id) => id.trim() === '') === true;
}

function enabledSteps({ enable, disable }: ChangeFlags): readonly PatchStep[] {
  if (enable === undefined && disable === undefined) return [];
  return [{ op: 'replace', path: '/enabled', value: enable === true }];
}

/** For properties to be added this is only their place: what is sent depends on those that are there. */
function propertySteps(flags: ChangeFlags): readonly PatchStep[] {
  const ids = flags.setProperties ?? addedIds(flags);
  return ids === undefined ? [] : [{ op: 'add', path: '/properties', value: [...new Set(ids)] }];
}

function addedIds({ addProperties, property }: ChangeFlags): readonly string[] | undefined {
  if (addProperties === undefined && property === undefined) return undefined;
  return [...new Set([...(addProperties ?? []), ...(property ?? [])])];
}

/** Operations of --patch, or in other letters, on what a flag of its own changes. */
function changedTwice(own: PatchStep, further: readonly PatchStep[]): readonly Detail[] {
  return further
    .filter((step) => step.op !== 'test' && touches(step, own.path.slice(1)))
    .map(({ op, path }) => ({
      field: `${op} ${JSON.stringify(path)}`,
      reason: `${own.path} is changed by a flag as well`,
    }));
}

/** Problems that were found before, told together with those that an error names. */
function togetherWith(details: readonly Detail[], hint: string | undefined) {
  return (error: unknown): never => {
    if (!(error instanceof CliError) || details.length === 0) throw error;
    throw invalidInput([...details, ...error.details], hint);
  };
}
