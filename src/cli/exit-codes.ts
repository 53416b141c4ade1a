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

/** What each exit code tells the caller, and what to do next. */
export const exitCodeMeanings = {
  done: 'done',
  failed: 'failed (the service reported an error, or innctl itself did)',
  usage: 'usage or invalid input, nothing was sent',
  notFound: 'not found',
  notLoggedIn: 'not logged in',
  forbidden: 'forbidden',
  refused: 'refused or in conflict with what is stored (409, 412, 415, 422)',
  unavailable: 'unavailable or rate limited after retries: try later',
  unknown: 'outcome unknown: type the hint, it settles it',
  partlyDone: 'partly done',
  pending: 'changes pending (with --exit-code)',
  blocked: 'blocked (consent missing off a terminal, a question declined, a guard)',
  ambiguous: 'ambiguous reference',
  interrupted: 'interrupted (SIGINT)',
  terminated: 'terminated (SIGTERM)',
} as const satisfies Record<ExitCodeName, string>;
