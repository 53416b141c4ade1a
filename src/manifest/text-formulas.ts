import { shortened } from '../checks/text.ts';
import type { Place } from './entry.ts';
import { placesText } from './places.ts';

/** The cells of a table that were written as formulas of a text, and are read as that text. */
export interface TextFormulas {
  add(place: Place, column: string, text: string): void;
  /** One sentence for each column of a file. */
  sentences(): readonly string[];
}

/** No cell was written so yet. */
export function createTextFormulas(): TextFormulas {
  const columns = new Map<
    string,
    { readonly name: string; readonly text: string; readonly places: Place[] }
  >();
  return {
    add(place, name, text) {
      const key = JSON.stringify([place.file, name]);
      const column = columns.get(key);
      if (column === undefined) columns.set(key, { name, text, places: [place] });
      else column.places.push(place);
    },
    sentences: () =>
      [...columns.values()].map(({ name, text, places }) => {
        const formula = `="${shortened(text.replaceAll('"', '""'))}"`;
        const cell = places.length === 1 ? `${formula} is` : `formulas such as ${formula} are`;
        return `${placesText(places)}: ${name}: ${cell} read as ${shortened(text) || 'an empty cell'}`;
      }),
  };
}
