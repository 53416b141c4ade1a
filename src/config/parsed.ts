/** A value read from a text, or why the text is none. Reasons continue a sentence that began with the field's name. */
export type Parsed<T> = { readonly value: T } | { readonly reason: string };

/** A text that was understood. */
export function valid<T>(value: T): Parsed<T> {
  return { value };
}

/** A text that was not. */
export function invalid(reason: string): Parsed<never> {
  return { reason };
}
