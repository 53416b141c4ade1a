import { isRecord } from '../records.ts';
import type { Entry } from './entry.ts';
import { isMissing } from './missing.ts';

/** Fields of a property that may be missing as long as it need not be created: services never read them back. */
export const neededToCreate: readonly string[] = ['default_check_in_time', 'default_check_out_time'];

/**
 * The body that creates what an entry describes: for a property that of create property, for an invitation that of
 * create invitation. What stands under `extra` is merged in, `extra.location` into the location.
 */
export function bodyOf({ fields }: Pick<Entry, 'fields'>): Record<string, unknown> {
  const { extra, ...named } = fields;
  if (!isRecord(extra)) return named;
  const { location, ...others } = extra;
  if (!isRecord(location)) return { ...named, ...others };
  const inside = isRecord(named['location']) ? named['location'] : {};
  return { ...named, ...others, location: { ...inside, ...location } };
}

/** The fields without which a property cannot be created, and which the entry lacks; a person lacks none. */
export function missingToCreate({ kind, fields }: Pick<Entry, 'kind' | 'fields'>): readonly string[] {
  return kind === 'property' ? neededToCreate.filter((name) => isMissing(fields[name])) : [];
}
