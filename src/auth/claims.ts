import { isRecord } from '../model/records.ts';

/** Whom tokens belong to, as far as they tell. */
export interface Who {
  /** What the server calls the person or the client. */
  readonly subject?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly account?: string | undefined;
}

/** What a token says, by the names it uses. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a service may call the same thing. */
const names = {
  subject: ['sub'],
  email: ['email'],
  name: ['name', 'preferred_username'],
  account: ['account_code', 'account'],
  client: ['client_id'],
} as const;

/** Fields in which services and tokens name an account. */
const accountNames = ['account_code', 'account', 'account_id'] as const;

const LONGEST_CLAIM = 200;

/** What a JSON web token says; nobody's signature is checked, because nobody is let in by it. */
export function claimsOf(token: string): Claims {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return {};
  try {
    const told: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isRecord(told) ? told : {};
  } catch {
    return {};
  }
}

/** One of the facts, under whichever name it is told; `undefined` when it is no text, or one that nobody would read. */
export function told(claims: Claims, what: keyof typeof names): string | undefined {
  return names[what].map((name) => claims[name]).find(isTelling);
}

/** Whom the claims are about. */
export function whoIn(claims: Claims): Who {
  const facts = (['subject', 'email', 'name', 'account'] as const).map((what) => [what, told(claims, what)]);
  return Object.fromEntries(facts.filter(([, value]) => value !== undefined));
}

/** The account that a token or a user names; `undefined` where none is named. */
export function accountIn(record: Claims): string | undefined {
  const values = accountNames.map((name) => record[name]);
  return values.map((value) => (Number.isSafeInteger(value) ? String(value) : value)).find(isTelling);
}

/** Whether a claim is a name that can be compared and shown. */
export function isTelling(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_CLAIM;
}
