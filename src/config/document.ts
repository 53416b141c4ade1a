import * as v from 'valibot';
import { mapping } from './file.ts';
import type { Setting } from './settings.ts';

/** What config.json says of one profile. Values may be of any type: they are checked when they are used. */
export type StoredProfile = Readonly<Record<string, unknown>> & {
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
};

/** What config.json holds. Keys that nobody knows stay in it. */
export interface ConfigDocument {
  readonly version: 1;
  readonly active_profile?: string | undefined;
  readonly profiles: Readonly<Record<string, StoredProfile>>;
}

/** The shape of config.json; values of settings are not looked at. */
export const configSchema = mapping(
  v.looseObject({
    version: v.optional(v.literal(1), 1),
    active_profile: v.optional(v.string()),
    profiles: v.optional(
      mapping(
        v.record(v.string(), mapping(v.looseObject({ defaults: v.optional(mapping(v.looseObject({}))) }))),
      ),
      {},
    ),
  }),
);

/** The profile of that name in the file; `undefined` when there is none. */
export function storedProfile(document: ConfigDocument, name: string): StoredProfile | undefined {
  return Object.hasOwn(document.profiles, name) ? document.profiles[name] : undefined;
}

/** The value that a profile stores for a setting, as it stands in the file. */
export function storedValue(profile: StoredProfile, { key, place }: Setting): unknown {
  if (place === 'top') return profile[key];
  return place === 'defaults' ? profile.defaults?.[key] : undefined;
}

/** A document in which the profile stores this value for the setting; `undefined` takes the value away. */
export function withValue(
  document: ConfigDocument,
  name: string,
  { key, place }: Setting,
  value: unknown,
): ConfigDocument {
  const profile = storedProfile(document, name) ?? {};
  const changed =
    place === 'defaults'
      ? { ...profile, defaults: put(profile.defaults ?? {}, key, value) }
      : put(profile, key, value);
  return withProfile(document, name, changed);
}

/** A document in which that profile is this one. */
export function withProfile(document: ConfigDocument, name: string, profile: StoredProfile): ConfigDocument {
  return { ...document, profiles: { ...document.profiles, [name]: profile } };
}

function put(record: Readonly<Record<string, unknown>>, key: string, value: unknown) {
  const { [key]: _, ...rest } = record;
  return value === undefined ? rest : { ...rest, [key]: value };
}
