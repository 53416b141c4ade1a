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
  [ExitCode.done]: 'done',
  [ExitCode.failed]: 'failed (an error of the service or of innctl)',
  [ExitCode.usage]: 'invalid usage or input; nothing was sent',
  [ExitCode.notFound]: 'not found',
  [ExitCode.notLoggedIn]: 'not logged in',
  [ExitCode.forbidden]: 'forbidden',
  [ExitCode.refused]: 'rejected or in conflict with existing data (409, 412, 415, 422)',
  [ExitCode.unavailable]: 'unavailable or rate limited after retries; try again later',
  [ExitCode.unknown]: 'outcome unknown; run the command in the hint to find out',
  [ExitCode.partlyDone]: 'partially done',
  [ExitCode.pending]: 'changes pending (with --exit-code), or findings',
  [ExitCode.blocked]: 'blocked (not confirmed, or forbidden by a guard)',
  [ExitCode.ambiguous]: 'ambiguous reference',
  [ExitCode.interrupted]: 'interrupted (SIGINT)',
  [ExitCode.terminated]: 'terminated (SIGTERM)',
} as const satisfies Record<ExitCode, string>;
