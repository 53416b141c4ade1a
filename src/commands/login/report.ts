import { bearerCredentials } from '../../auth/credentials.ts';
import type { Granted } from '../../auth/granted.ts';
import { identitiesInHeader, isName, momentText, refuseOthers, type Who } from '../../auth/identity.ts';
import { openConnection } from '../../cli/connection.ts';
import { CliError } from '../../cli/errors.ts';
import type { LocalSession } from '../../cli/session.ts';
import type { Settings } from '../../config/resolve.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { credentialVariable } from '../auth/exported.ts';
import { storedNotes } from '../profiles/store.ts';
import type { LoginSetup } from './compose.ts';

/** The result of a login. */
export interface Outcome {
  readonly setup: LoginSetup;
  readonly granted: Granted;
  readonly verified: Verified;
  readonly active: boolean;
}

/** Reports the user, the profile and the expiry of a login. */
export async function report(outcome: Outcome, session: LocalSession): Promise<void> {
  const { setup, granted, verified, active } = outcome;
  const { name, method, values } = setup.given;
  // An active profile is mentioned only when it was not active before.
  const isFirst = active && session.config.active_profile === undefined;
  const sentences = [
    `Logged in${whom(outcome)} at ${new URL(values.base_url ?? '').host}, profile ${name}${isFirst ? ', which is active now' : ''}.`,
    ...(setup.account === undefined ? ['Its secrets are kept unencrypted in credentials.json.'] : []),
    ...storedNotes(name, active, session),
  ];
  await session.out.done(sentences.join(' '), {
    profile: name,
    method,
    active,
    client_id: values.client_id,
    ...withoutHoles(verified.who),
    scopes: granted.scope?.split(' ').filter((scope) => scope !== '') ?? [],
    expires_at: momentText(granted.expiresAt) ?? null,
    storage: setup.account === undefined ? 'file' : 'keyring',
    identity_url: values.identity_url,
    base_url: values.base_url,
    verified: verified.doubt === undefined,
  });
  if (verified.doubt !== undefined)
    await session.out.warn(`The login is stored, but its account could not be determined. ${verified.doubt}`);
  const variable = credentialVariable(session.context.env);
  if (variable !== undefined)
    await session.out.warn(`${variable} is set, and overrides this login unless --profile is given.`);
}

function whom({ setup: { given }, verified: { who } }: Outcome): string {
  const { name, email, subject, account } = who;
  const inAccount = account === undefined ? '' : ` (account ${account})`;
  const isClient = given.method === 'client-credentials';
  const known = isClient ? `client ${given.values.client_id}` : (email ?? name ?? subject);
  if (known === undefined) return '';
  const isNamed = !isClient && name !== undefined && email !== undefined;
  // A token's claims must not look like other output.
  return ` as ${isNamed ? `${name} (${email})` : `${known}${inAccount}`}`.replaceAll(/\s+/g, ' ');
}

/** The owner of a token, and any doubt about it. */
interface Verified {
  readonly who: Who;
  /** A sentence; `undefined` if the service confirmed it, or a token was just issued to a client. */
  readonly doubt?: string | undefined;
}

/** The login is valid without the service's confirmation, so do not wait for it. */
const MAX_ATTEMPTS = 2;

const asExpected = 'Log in as the expected account. To show it: innctl config explain expect_account';

/**
 * Asks the service for the owner of the token. Client credentials have no user: the token itself is enough.
 *
 * @param settings the settings of the profile.
 * @throws {CliError} exit 4 if the service rejects the token, 11 if another account is expected.
 */
export async function verify(granted: Granted, settings: Settings, session: LocalSession): Promise<Verified> {
  const isClient = settings.auth?.value === 'client-credentials';
  const verified = isClient ? { who: granted.who } : await askedOf(granted, settings, session);
  const { account, subject, email } = verified.who;
  const client = isClient ? settings.clientId?.value : undefined;
  const named = [client, account, subject, email].filter(isName);
  const found = [...named, ...identitiesInHeader(granted.accessToken)];
  refuseOthers(settings.expectAccount, found, 'this login', asExpected);
  return verified;
}

async function askedOf(granted: Granted, settings: Settings, session: LocalSession): Promise<Verified> {
  const { who, accessToken } = granted;
  const credentials = bearerCredentials(accessToken, `profile ${settings.profile?.value}`);
  const connection = await openConnection(session, withFewAttempts(settings), credentials);
  try {
    return { who: { ...who, ...whoOf(await connection.api.users.me()) } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.status === 401)
      throw error.with({
        message: `The service rejected this token; nothing was stored. ${error.message}`,
        hint: `Log in with a token that is for ${settings.identityUrl?.value}.`,
      });
    return error.status === 403 ? { who } : { who, doubt: error.message };
  } finally {
    await connection.close();
  }
}

/** The expected account is checked with this result; the stored one is of the previous login. */
function withFewAttempts(settings: Settings): Settings {
  const { value, source } = settings.maxAttempts;
  const maxAttempts = { value: Math.min(value, MAX_ATTEMPTS), source };
  return { ...settings, maxAttempts, expectAccount: [] };
}

function whoOf(user: ServiceRecord): Who {
  const name = [user['first_name'], user['last_name']].filter(isName).join(' ');
  const known = { subject: user['subject_id'], email: user['email'], name };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => isName(value)));
}
