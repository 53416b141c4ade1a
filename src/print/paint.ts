/** Colours by what they mark. Texts must be clear without them. */
export interface Paint {
  readonly title: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly hint: (text: string) => string;
  readonly good: (text: string) => string;
}

/** What a colour says beside the words. */
export type Tone = Exclude<keyof Paint, 'title'>;

/** The colours, or none. */
export async function openPaint(colour: boolean): Promise<Paint> {
  if (!colour) return { title: asItIs, error: asItIs, warning: asItIs, hint: asItIs, good: asItIs };
  const { Chalk } = await import('chalk');
  // The sixteen basic colours, which follow the theme of the terminal.
  const chalk = new Chalk({ level: 1 });
  const { bold, yellow, cyan, green } = chalk;
  return { title: bold, error: bold.red, warning: yellow, hint: cyan, good: green };
}

/** What is given, without a change. */
export function asItIs<Value>(value: Value): Value {
  return value;
}

/** What decides whether a stream gets colour. */
export interface ColourQuestion {
  /** The value of --color, else of INNCTL_COLOR; `auto` and `undefined` leave it to the rest. */
  readonly flag: 'auto' | 'always' | 'never' | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/**
 * Whether a stream gets colour: the flag, else NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR=0, TERM=dumb,
 * else whether it is a terminal. An empty variable counts as absent.
 */
export function colourFor({ flag, env, isTerminal }: ColourQuestion): boolean {
  if (flag === 'always' || flag === 'never') return flag === 'always';
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  if (env['CLICOLOR_FORCE'] && env['CLICOLOR_FORCE'] !== '0') return true;
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb') return false;
  return isTerminal;
}

/**
 * Whether the terminal must not be drawn on: no boxes, nothing redrawn, no moving cursor. TERM=dumb says so, and ACCESSIBLE,
 * unless it is empty, `0` or `false`.
 */
export function isPlainTerminal(env: Readonly<Record<string, string | undefined>>): boolean {
  const isAccessible = !['', '0', 'false'].includes((env['ACCESSIBLE'] ?? '').toLowerCase());
  return isAccessible || env['TERM'] === 'dumb';
}
