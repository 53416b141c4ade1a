/** One thing the service stores, snake_case where a field is known, otherwise as it came. */
export type ServiceRecord = Readonly<Record<string, unknown>>;

/** One page of a list as it arrives. */
export interface Page {
  readonly items: readonly ServiceRecord[];
  /** How many records the service says there are in all; `undefined` where it does not say. */
  readonly total: number | undefined;
  /** Records remain after this page that this list will not bring. `--limit` or `--page-number` cut it. */
  readonly truncated: boolean;
}

/** Narrows to an object of names and values: no array, not null. */
export function isRecord(value: unknown): value is ServiceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
