import type { Api } from '../api/api.ts';
import { notInContract } from '../checks/dialect-names.ts';
import { type Detail, invalidInput } from '../errors.ts';

/**
 * Returns where the service has what these flags are about, or none of them is given.
 *
 * @param flags every flag by its value; `undefined` where it is not given.
 * @param hint something to type instead.
 * @throws {CliError} exit 2 naming those that are given.
 */
export function refuseBeyond(
  { dialect }: Pick<Api, 'dialect'>,
  flags: Readonly<Record<`--${string}`, unknown>>,
  hint = 'innctl config explain dialect',
): void {
  const details = beyondDetails(dialect, flags);
  if (details.length > 0) throw invalidInput(details, hint);
}

/** The same as details, to be told together with what else is wrong. */
export function beyondDetails(
  { goesBeyond }: Pick<Api['dialect'], 'goesBeyond'>,
  flags: Readonly<Record<`--${string}`, unknown>>,
): readonly Detail[] {
  if (goesBeyond) return [];
  return Object.entries(flags).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, reason: notInContract }],
  );
}
