/** How a work of many rows may tell how far it is. */
export const progressModes = ['auto', 'bar', 'lines', 'jsonl', 'none'] as const;
export type ProgressMode = (typeof progressModes)[number];
