/** Colours by what they mark; each is decoration of a text that says the same without it. */
export interface Paint {
  readonly title: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly hint: (text: string) => string;
}

/** The colours, or none. */
export async function openPaint(colour: boolean): Promise<Paint> {
  if (!colour) return { title: asItIs, error: asItIs, warning: asItIs, hint: asItIs };
  const { createChalkPaint } = await import('./chalk-paint.ts');
  return createChalkPaint();
}

function asItIs(text: string): string {
  return text;
}
