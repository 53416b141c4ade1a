/** The exit codes that scripts may rely on. `help exit-codes` prints this table. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notLoggedIn: 4,
  forbidden: 5,
  refused: 6,
  unavailable: 7,
  unknown: 8,
  partlyDone: 9,
  pending: 10,
  blocked: 11,
  ambiguous: 12,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCodeName = keyof typeof ExitCode;
export type ExitCode = (typeof ExitCode)[ExitCodeName];

/** The meaning of each exit code for the caller. */
export const exitCodeMeanings = {
  done: 'done',
  failed: 'failed (an error of the service or of innctl)',
  usage: 'invalid usage or input; nothing was sent',
  notFound: 'not found',
  notLoggedIn: 'not logged in',
  forbidden: 'forbidden',
  refused: 'rejected or in conflict with existing data (409, 412, 415, 422)',
  unavailable: 'unavailable or rate limited after retries; try again later',
  unknown: 'outcome unknown; run the command in the hint to find out',
  partlyDone: 'partially done',
  pending: 'changes pending (with --exit-code)',
  blocked: 'blocked (not confirmed, or forbidden by a guard)',
  ambiguous: 'ambiguous reference',
  interrupted: 'interrupted (SIGINT)',
  terminated: 'terminated (SIGTERM)',
} as const satisfies Record<ExitCodeName, string>;
