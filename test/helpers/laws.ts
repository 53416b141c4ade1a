import fc from 'fast-check';

/**
 * fast-check with a number of runs that suits CI. `LAW_RUNS=5000 npm test` searches longer.
 */
fc.configureGlobal({ numRuns: Number(process.env['LAW_RUNS'] ?? 50) });

/** So few runs of a law whose runs are expensive; `LAW_RUNS` is for it, too. */
export function few(runs: number): { readonly numRuns: number } {
  return { numRuns: Number(process.env['LAW_RUNS'] ?? runs) };
}

export { fc };
