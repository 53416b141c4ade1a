import { isTelling, type Who } from '../../auth/claims.ts';
import { bearerCredentials } from '../../auth/credentials.ts';
import type { Granted } from '../../auth/granted.ts';
import type { Settings } from '../../config/resolve.ts';
import { openConnection } from '../../connection/connection.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { ServiceRecord } from '../../records.ts';
import type { LocalSession } from '../../session.ts';

/** Whom a token belongs to, and why that is not certain. */
export interface Verified {
  readonly who: Who;
  /** A sentence; `undefined` when the service was asked, or a token was just issued to a client. */
  readonly doubt?: string | undefined;
}

/** A service that has trouble is not waited for: the login is good without its word. */
const MOST_ATTEMPTS = 2;

/**
 * Asks the service whose token it is. Client credentials belong to no user: the token itself is all the proof they need.
 *
 * @param settings those of the profile.
 * @throws {CliError} exit 4 when the service does not take the token.
 */
export async function verify(granted: Granted, settings: Settings, session: LocalSession): Promise<Verified> {
  const { who, accessToken } = granted;
  if (settings.auth?.value === 'client-credentials') return { who };
  const { context, globals, folders, out } = session;
  const connection = await openConnection({
    context,
    globals,
    folders,
    out,
    settings: () => patient(settings),
    credentials: bearerCredentials(accessToken, `profile ${settings.profile?.value}`),
  });
  try {
    return { who: { ...who, ...whoOf(await connection.api.users.me()) } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.status === 401) throw refused(error, settings);
    return error.status === 403 ? { who } : { who, doubt: error.message };
  } finally {
    await connection.close();
  }
}

/** Who is expected is held against what this finds out; what is stored is of the login before. */
function patient(settings: Settings): Settings {
  const { value, source } = settings.maxAttempts;
  const maxAttempts = { value: Math.min(value, MOST_ATTEMPTS), source };
  return { ...settings, maxAttempts, expectAccount: [] };
}

function whoOf(user: ServiceRecord): Who {
  const names = [user['first_name'], user['last_name']].filter(isTelling);
  const told = {
    subject: user['subject_id'],
    email: user['email'],
    name: names.length === 0 ? undefined : names.join(' '),
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => isTelling(value)));
}

function refused(error: CliError, { identityUrl }: Settings): CliError {
  const { requestId } = error;
  return new CliError(
    'not_logged_in',
    `The service does not take this token, and nothing was stored. ${error.message}`,
    {
      cause: error,
      status: 401,
      requestId,
      exitCode: ExitCode.notLoggedIn,
      hint: `Log in with a token that is for ${identityUrl?.value}.`,
    },
  );
}
