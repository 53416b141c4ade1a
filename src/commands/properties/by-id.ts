import type { Api } from '../../api/api.ts';
import { idProblem } from '../../api/path.ts';
import { type Detail, detailsFor } from '../../errors.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { listedProperties, suggestingId } from '../meant.ts';
import { serviceLine } from '../settle.ts';

/** What is wrong with the id that a command was given. */
export function idDetails(id: string): readonly Detail[] {
  return detailsFor('id', idProblem(id));
}

/** Adds to a property that is not there the listed id that was probably meant; for `catch`. */
export function suggestingProperty(api: Api, id: string) {
  return suggestingId({ word: id, ...listedProperties(api) });
}

/** The command line that shows the property, at the same service. */
export function lookAt(id: string, globals: GlobalOptions): string {
  return serviceLine(globals, 'properties', 'get', id);
}
