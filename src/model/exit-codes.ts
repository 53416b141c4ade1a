/** The exit codes that scripts may rely on, and what each means for the caller. */
const table = {
  done: [0, 'done'],
  failed: [1, 'failed (an error of the service or of innctl)'],
  usage: [2, 'invalid usage or input; nothing was sent'],
  notFound: [3, 'not found'],
  notLoggedIn: [4, 'not logged in'],
  forbidden: [5, 'forbidden'],
  refused: [6, 'rejected or in conflict with existing data (409, 412, 415, 422)'],
  unavailable: [7, 'unavailable or rate limited after retries; try again later'],
  unknown: [8, 'outcome unknown; run the command in the hint to find out'],
  partlyDone: [9, 'partially done'],
  pending: [10, 'changes pending (with --exit-code), or findings'],
  blocked: [11, 'blocked (not confirmed, or forbidden by a guard)'],
  ambiguous: [12, 'ambiguous reference'],
  interrupted: [130, 'interrupted (SIGINT)'],
  terminated: [143, 'terminated (SIGTERM)'],
} as const;

export type ExitCodeName = keyof typeof table;
export type ExitCode = (typeof table)[ExitCodeName][0];

/** The exit codes by name. */
// Each name keeps the code beside it.
export const ExitCode = Object.fromEntries(Object.entries(table).map(([name, [code]]) => [name, code])) as {
  readonly [Name in ExitCodeName]: (typeof table)[Name][0];
};

/** The meaning of each exit code for the caller. `help exit-codes` prints this table. */
export const exitCodeMeanings: Readonly<Record<number, string>> = Object.fromEntries(Object.values(table));
