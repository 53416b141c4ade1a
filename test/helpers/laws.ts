import fc from 'fast-check';

/**
 * fast-check with a number of runs that suits CI. `LAW_RUNS=5000 npm test` searches longer; a law with a
 * smaller number has expensive runs.
 */
fc.configureGlobal({ numRuns: Number(process.env['LAW_RUNS'] ?? 50) });

export { fc };
