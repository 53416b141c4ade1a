/** What a manifest describes. */
export const kinds = ['property', 'invitation', 'user'] as const;
export type Kind = (typeof kinds)[number];

/** Where an entry stands: a line of a text, or a row of a table as a spreadsheet counts them (the header is row 1). */
export interface Place {
  readonly file: string;
  readonly unit: 'line' | 'row';
  readonly number: number;
}

/** One thing that a manifest says should be there; its values are checked. */
export interface Entry {
  readonly kind: Kind;
  /** What it is known by: the code of a property, the e-mail address of a person, or a user's subject id. */
  readonly name: string;
  readonly place: Place;
  /** As the manifest names them, `extra` among them; `kind` is not. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A place in words: `hotels.csv: row 3`. */
export function placeText({ file, unit, number }: Place): string {
  return `${file}: ${unit} ${number}`;
}

/** A name as it is looked for: two names that give one text are one name, however their letters are written. */
export function sameName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** A kind and a name as one text, the same however the letters of the name are written. */
export function identityOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  return `${kind}:${sameName(name)}`;
}
