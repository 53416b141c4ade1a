import type { SandboxDialect } from '../dialects/dialect.ts';
import type { Store } from '../store/store.ts';
import type { FaultPicker } from './fault-picker.ts';

/** What the endpoints work with. */
export interface Service {
  readonly store: Store;
  /** How requests are read and answers written. */
  readonly dialect: SandboxDialect;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly pickFault: FaultPicker;
  /** The lag of a read, beside any other fault. */
  readonly pickLag: FaultPicker;
  /** Refuse calls without a token; otherwise they are the account admin's. */
  readonly requireAuth: boolean;
  /** Property lists show the id and the name alone. */
  readonly bareLists: boolean;
  /** Waited before anything is carried out. */
  readonly latencyMs: number;
  /** Aborted when the sandbox closes; ends all waiting. */
  readonly signal: AbortSignal;
  /** The sandbox's own address. */
  readonly url: () => string;
}
