import { furtherPropertyFields } from '../../checks/property-fields.ts';
import { valueProblems } from '../../checks/property-values.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import { tidy } from './entry.ts';

/**
 * The fields of a property, those under `extra` at the top where manifests have a place for them. What could not be
 * held there, a text of several lines for example, stays under `extra`.
 */
export async function lift({ extra, ...fields }: ServiceRecord): Promise<ServiceRecord> {
  if (!isRecord(extra)) return fields;
  const { location: around, ...others } = extra;
  const top = await parted(others, '');
  const inner = await parted(isRecord(around) ? around : {}, 'location.');
  const location = { ...(isRecord(fields['location']) ? fields['location'] : {}), ...inner.taken };
  return tidy({ ...fields, ...top.taken, location, extra: { ...top.left, location: inner.left } });
}

/** @param place what stands before the names, with a dot. */
async function parted(record: ServiceRecord, place: string) {
  const judged = await Promise.all(
    Object.entries(record).map(async ([name, value]) => ({
      name,
      value,
      isTaken: await isTaken(`${place}${name}`, value),
    })),
  );
  const those = (wanted: boolean) =>
    Object.fromEntries(judged.flatMap((each) => (each.isTaken === wanted ? [[each.name, each.value]] : [])));
  return { taken: those(true), left: those(false) };
}

/** Whether a manifest has a field at this path that may say so, or an object of such fields. */
async function isTaken(path: string, value: unknown): Promise<boolean> {
  const field = furtherPropertyFields.find((each) => each.path.join('.') === path);
  if (field !== undefined) return (await valueProblems(field, value, path)).length === 0;
  if (!isRecord(value)) return false;
  const inner = await Promise.all(
    Object.entries(value).map(([name, each]) => isTaken(`${path}.${name}`, each)),
  );
  return inner.every(Boolean);
}
