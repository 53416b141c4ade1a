/** Who asks: a program that is known to the server. Without a secret it is a public one. */
export interface Client {
  readonly id: string;
  readonly secret?: string | undefined;
}

/** How a client shows that it is itself: not at all, by its secret in the header, or in the form. */
export type ClientAuthMethod = 'none' | 'basic' | 'post';

/** Whom tokens belong to, as far as they tell; nobody's signature is checked, because nobody is let in by it. */
export interface Who {
  readonly subject?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly account?: string | undefined;
}

/** What a login brought. */
export interface Granted {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch; `undefined` when the server did not say. */
  readonly expiresAt?: number | undefined;
  /** What was granted, which may be less than was asked for. */
  readonly scope?: string | undefined;
  /** How the client was known, for the next time. */
  readonly clientAuth: ClientAuthMethod;
  readonly who: Who;
}
