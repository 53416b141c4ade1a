import type { Api } from '../../api/api.ts';
import { type Doubtful, MOST_LOOKED_THROUGH, namesIn } from '../meant.ts';

/** Property ids that may be misspelt; the properties are listed once, when the first is doubted. */
export function misspeltProperties(ids: readonly string[], { properties }: Api): readonly Doubtful[] {
  let names: Promise<readonly string[]> | undefined;
  const listed = () => {
    names ??= namesIn(properties.list({}, { limit: MOST_LOOKED_THROUGH }), 'id');
    return names;
  };
  return ids.map((word) => ({ word, listed }));
}

/** A subject id that may be misspelt. */
export function misspeltSubjectId(word: string, { users }: Api): Doubtful {
  return { word, listed: () => namesIn(users.list({}, { limit: MOST_LOOKED_THROUGH }), 'subject_id') };
}
