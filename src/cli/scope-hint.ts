import { newCredential } from '../auth/vault.ts';
import { readCredential } from '../config/credentials.ts';
import type { Settings } from '../config/resolve.ts';
import { shellLine } from '../print/text.ts';
import type { Credentials } from '../service/exchange.ts';
import type { MissingScopes } from '../service/refusal.ts';

/**
 * The hint for a token that lacks scopes.
 *
 * @param folder contains credentials.json.
 */
export function scopeHintFor(
  missing: MissingScopes,
  asking: Credentials,
  settings: Settings,
  folder: string,
): string {
  return `This needs ${scopesText(missing)}: ${remedyFor(missing, asking, settings, folder)}, or use another profile.`;
}

function scopesText({ scopes, isOneEnough }: MissingScopes): string {
  if (scopes.length === 1) return `the scope ${scopes[0]}`;
  return `${isOneEnough ? 'one of ' : ''}the scopes ${scopes.join(', ')}`;
}

function remedyFor(missing: MissingScopes, asking: Credentials, settings: Settings, folder: string): string {
  const { grant, source } = asking;
  const profile = settings.profile?.value;
  if (grant === 'client-credentials') return remedyForClient(missing, settings);
  if (grant === 'user' && profile !== undefined) return remedyForUser(missing, settings, profile, folder);
  const wanted = `a token that has ${missing.isOneEnough || missing.scopes.length === 1 ? 'it' : 'them'}`;
  if (source.startsWith('INNCTL_')) return `set ${source} to ${wanted}`;
  return `give ${wanted}${profile === undefined ? '' : ` (${newCredential(folder, profile)})`}`;
}

/** A client that requests no scopes gets all that it is allowed. */
function remedyForClient(missing: MissingScopes, { scope, profile }: Settings): string {
  const asked = scopesIn(scope?.value);
  if (scope === undefined || isMet(missing, asked)) return 'have it allowed to the client at the service';
  if (scope.source.startsWith('INNCTL_')) return `add it to ${scope.source}`;
  const wanted = withMissing(asked, missing);
  const which = profile === undefined ? [] : ['--profile', profile.value];
  return `ask for it as well (${shellLine(['innctl', 'config', 'set', 'scope', wanted, ...which])})`;
}

/** The user may lack the right itself, which no scope grants. */
function remedyForUser(missing: MissingScopes, settings: Settings, profile: string, folder: string): string {
  const granted = scopesIn(readCredential(folder, profile)?.login?.scope);
  if (isMet(missing, granted)) return 'the login has it, so ask for the right that is missing';
  const wanted = withMissing([...scopesIn(settings.scope?.value), ...granted], missing);
  return `log in again with it (${shellLine(['innctl', 'login', '--profile', profile, '--scope', wanted])})`;
}

function isMet({ scopes, isOneEnough }: MissingScopes, have: readonly string[]): boolean {
  return isOneEnough
    ? scopes.some((scope) => have.includes(scope))
    : scopes.every((scope) => have.includes(scope));
}

/** If one scope is enough, the first grants the least. */
function withMissing(have: readonly string[], { scopes, isOneEnough }: MissingScopes): string {
  return [...new Set([...have, ...(isOneEnough ? scopes.slice(0, 1) : scopes)])].join(' ');
}

function scopesIn(text = ''): readonly string[] {
  return text.split(' ').filter((scope) => scope !== '');
}
