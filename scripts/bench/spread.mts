/** Several measurements of one thing: the median, between the lowest and the highest tenth. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** How many rounds are made: the last one begins within the seconds, and there is always a first. */
export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

/** Lets the ways take turns, so that a machine that slows down slows all of them; one result of each a round. */
export async function takeTurns<Result>(
  names: readonly string[],
  run: (name: string) => Promise<Result>,
  effort: Effort,
): Promise<readonly ReadonlyMap<string, Result>[]> {
  const rounds: ReadonlyMap<string, Result>[] = [];
  const end = performance.now() + effort.seconds * 1000;
  while (rounds.length < effort.rounds && (rounds.length === 0 || performance.now() < end)) {
    const round = new Map<string, Result>();
    for (const name of names) round.set(name, await run(name));
    rounds.push(round);
  }
  return rounds;
}

/** Rounded to hundredths. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Number((sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2));
  return { low: at(0.1), median: at(0.5), high: at(0.9) };
}

/** As a cell of a table. */
export function shown({ low, median, high }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
