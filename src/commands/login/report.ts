import type { Granted } from '../../auth/granted.ts';
import { momentText } from '../../auth/told.ts';
import type { LocalSession } from '../../session.ts';
import { credentialVariable } from '../auth/exported.ts';
import { guardsInWords, guardsOf } from '../profiles/kept-guards.ts';
import type { StoredCredential, Storing } from '../profiles/store.ts';
import type { Verified } from './verify.ts';

/** What became of a login. */
export interface Outcome {
  readonly stored: Storing & { readonly credential: StoredCredential };
  readonly granted: Granted;
  readonly verified: Verified;
  readonly active: boolean;
}

/** Says who is logged in, where, and what that is good for. */
export async function report(outcome: Outcome, session: LocalSession): Promise<void> {
  const { stored, granted, verified, active } = outcome;
  const { name, profile } = stored;
  const { facts } = stored.credential;
  const kept = guardsInWords(guardsOf(session.config, name));
  const sentences = [
    `Logged in${whom(outcome)} at ${new URL(String(profile['base_url'])).host}, profile ${name}${isFirst(active, session) ? ', which is active now' : ''}.`,
    ...(facts.keyring === undefined ? ['Its secrets are kept unencrypted in credentials.json.'] : []),
    ...(kept === '' ? [] : [`It keeps its guards: ${kept}.`]),
    ...(active ? [] : [`Not active: innctl profiles use ${name}`]),
  ];
  await session.out.done(sentences.join(' '), {
    profile: name,
    method: facts.login?.method,
    active,
    ...facts.login?.who,
    scopes: granted.scope?.split(' ').filter((scope) => scope !== '') ?? [],
    expires_at: momentText(granted.expiresAt) ?? null,
    storage: facts.keyring === undefined ? 'file' : 'keyring',
    identity_url: profile['identity_url'],
    base_url: profile['base_url'],
    verified: verified.doubt === undefined,
  });
  if (verified.doubt !== undefined)
    await session.out.warn(
      `The login is stored, but the service could not say whose it is. ${verified.doubt}`,
    );
  await warnOfVariables(session);
}

/** A profile that was active before needs no word. */
function isFirst(active: boolean, { config }: LocalSession): boolean {
  return active && config.active_profile === undefined;
}

function whom({ stored, verified: { who } }: Outcome): string {
  const { profile, credential } = stored;
  const { name, email, subject, account } = who;
  const inAccount = account === undefined ? '' : ` (account ${account})`;
  if (credential.facts.login?.method === 'client-credentials')
    return onOneLine(` as client ${profile['client_id']}${inAccount}`);
  if (name !== undefined && email !== undefined) return onOneLine(` as ${name} (${email})`);
  const known = email ?? name ?? subject;
  return known === undefined ? '' : onOneLine(` as ${known}${inAccount}`);
}

/** What a token says of itself must not look like a line of ours. */
function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

async function warnOfVariables({ context, out }: LocalSession): Promise<void> {
  const variable = credentialVariable(context.env);
  if (variable !== undefined)
    await out.warn(`${variable} is set, and wins over this login wherever --profile is not given.`);
}
