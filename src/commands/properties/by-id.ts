import { type Detail, detailsFor } from '../../cli/errors.ts';
import type { GlobalOptions } from '../../cli/flags.ts';
import { idProblem } from '../../service/path.ts';
import { hasBlank, nameProblem } from '../../service/property-names.ts';
import type { Api } from '../../service/service.ts';
import { lookingLine } from '../lines.ts';
import { misspeltProperties, propertyNames, suggest } from '../suggest.ts';

/** The problem with a property id. With blanks it may be a property's name. */
export async function idDetails(
  id: string,
  api: Pick<Api, 'properties'>,
  field = 'id',
): Promise<readonly Detail[]> {
  const names = hasBlank(id) ? await propertyNames(api) : undefined;
  return detailsFor(field, nameProblem(id, names?.idsOf(id) ?? []) ?? idProblem(id));
}

/** For `catch`: suggests a similar id from the list. */
export function suggestProperty(api: Api, id: string) {
  return suggest({ ...misspeltProperties([id], api), inPath: true });
}

/** The command line that shows the property. */
export function lookAt(id: string, globals: GlobalOptions): string {
  return lookingLine(globals, 'properties', 'get', id);
}
