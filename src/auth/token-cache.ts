/** An access token as it is kept between runs. */
export interface StoredToken {
  readonly access_token: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

/** Where a profile keeps its access token. */
export interface TokenCache {
  /** `undefined` when there is none. */
  read(): Promise<StoredToken | undefined>;
  /** @param signal ends the waiting for other processes that write. */
  write(token: StoredToken, signal: AbortSignal): Promise<void>;
}
