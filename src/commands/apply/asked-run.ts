import type { RunIdentity } from '../../apply/journal-path.ts';
import type { Entry } from '../../manifest/entry.ts';
import type { Session } from '../../session.ts';
import type { ApplyFlags, Wishes } from './flags.ts';

/** A run as it was asked for, its files read: what its steps share. */
export interface AskedRun extends RunIdentity {
  readonly session: Session;
  readonly wishes: Wishes;
  readonly flags: ApplyFlags;
  readonly entries: readonly Entry[];
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline: number | undefined;
}
