/** What a token would need to be let in. */
export interface MissingScopes {
  readonly scopes: readonly string[];
  /** Any of them will do; otherwise it needs all. */
  readonly isOneEnough: boolean;
}

/** Scopes and characters. Whatever names more is no challenge that anybody could answer. */
const MOST_SCOPES = 5;
const LONGEST_SCOPE = 100;
const LONGEST_CHALLENGE = 4_000;

/** RFC 6749, section 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const parameters = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

/**
 * The scopes that a 403 is about; `undefined` where nobody says. What the answer itself names wins: all that RFC 6750,
 * section 3, lets it list.
 *
 * @param headers names in lower case.
 * @param known of which a token needs one for this operation.
 */
export function missingScopes(
  headers: Readonly<Record<string, string>>,
  known: readonly string[],
): MissingScopes | undefined {
  const named = scopesIn(headers['www-authenticate'] ?? '');
  if (named.length > 0) return { scopes: named, isOneEnough: false };
  return known.length === 0 ? undefined : { scopes: known, isOneEnough: true };
}

/** `Bearer error="insufficient_scope", scope="a b"`; nothing where a part of it is not what a scope may be. */
function scopesIn(challenge: string): readonly string[] {
  if (challenge.length > LONGEST_CHALLENGE || !/(?:^|,)\s*bearer\b/i.test(challenge)) return [];
  const values = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of challenge.matchAll(parameters)) {
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, quoted ?? bare);
  }
  if ((values.get('error') ?? 'insufficient_scope') !== 'insufficient_scope') return [];
  const scopes = [...new Set((values.get('scope') ?? '').split(' '))].filter((scope) => scope !== '');
  const isUsable = scopes.every((scope) => scope.length <= LONGEST_SCOPE && scopeToken.test(scope));
  return isUsable && scopes.length <= MOST_SCOPES ? scopes : [];
}
