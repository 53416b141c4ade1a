import fc from 'fast-check';

/**
 * fast-check with as many runs of each law as a push can wait for. `LAW_RUNS=5000 npm test` searches longer; a law that
 * names a smaller number is one whose single run is expensive.
 */
fc.configureGlobal({ numRuns: Number(process.env['LAW_RUNS'] ?? 50) });

export { fc };
