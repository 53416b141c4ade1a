/** The median, the lowest and the highest tenth of several measurements. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** The quantile, interpolated between two values and rounded to hundredths. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return Number((below + (above - below) * (place % 1)).toFixed(2));
  };
  return { low: at(0.1), median: at(0.5), high: at(0.9) };
}

/** As a cell of a table: the median and its range. */
export function shown({ low, median, high }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
