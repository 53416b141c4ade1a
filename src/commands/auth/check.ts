import { type Described, describeCredential } from '../../auth/described.ts';
import { momentText } from '../../auth/told.ts';
import type { Settings } from '../../config/resolve.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { Token } from '../../http/authorization.ts';
import { type ServiceRecord, withoutHoles } from '../../records.ts';
import type { LocalSession } from '../../session.ts';
import { askWho } from './probe.ts';

/** A credential that is to be checked: the profile it is of, and the settings under which it is used. */
export interface Subject {
  /** `undefined`: the one in effect, with a credential of the environment. */
  readonly profile: string | undefined;
  settings(): Settings;
}

/** What was found about one credential. */
export interface Finding {
  readonly row: ServiceRecord;
  /** What is wrong with it; `undefined` where it is good. */
  readonly error: CliError | undefined;
}

/** What is known by the time that the check ends, however it ends. */
interface Known {
  settings?: Settings;
  token?: Token;
  user?: ServiceRecord | undefined;
}

/** Uses a credential once, with a token that is fetched or renewed where it must be. Whatever is wrong stands in the row. */
export async function check(subject: Subject, session: LocalSession): Promise<Finding> {
  const known: Known = {};
  const error = await use(subject, session, known).then(
    () => undefined,
    (cause) => {
      if (!(cause instanceof CliError)) throw cause;
      return cause;
    },
  );
  return { row: rowOf(subject, known, error, session), error };
}

async function use({ settings }: Subject, session: LocalSession, known: Known): Promise<void> {
  const own = settings();
  known.settings = own;
  const { openConnection } = await import('../../connection/connection.ts');
  const { api, credentials, close } = await openConnection({ ...session, settings: () => own });
  try {
    known.token = await credentials.current(session.context.signal);
    known.user = await askWho(api, credentials.grant);
    // One that was refused meanwhile may have been renewed.
    known.token = await credentials.current(session.context.signal);
  } finally {
    await close();
  }
}

function rowOf(
  { profile }: Subject,
  { settings, token, user }: Known,
  error: CliError | undefined,
  { folders, context }: LocalSession,
): ServiceRecord {
  const described = settings && describeCredential(settings, { folder: folders.config, context }, token);
  return withoutHoles({
    profile: profile ?? settings?.profile?.value ?? null,
    valid: validity(error),
    ...(described && { ...factsOf(described, user), method: described.method, stored: described.stored }),
    identity_url: settings?.identityUrl?.value,
    base_url: settings?.baseUrl?.value,
    error: error && problemOf(error),
  });
}

function problemOf({ code, message, hint, status, requestId }: CliError): ServiceRecord {
  return withoutHoles({ code, message, hint, status, request_id: requestId });
}

/** The service knows better who it is than what was noted at the login. */
function factsOf({ who, clientId, scopes, expiresAt }: Described, user: ServiceRecord = {}): ServiceRecord {
  const email = textIn(user['email']) ?? who.email;
  const subject = textIn(user['subject_id']) ?? who.subject;
  return {
    who: email ?? who.name ?? subject ?? clientId,
    subject,
    client_id: clientId,
    account: who.account,
    scopes,
    expires_at: momentText(expiresAt),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A keyring that is locked says nothing of what is in it. */
function validity(error: CliError | undefined): 'yes' | 'no' | 'unknown' {
  if (error === undefined) return 'yes';
  return error.exitCode === ExitCode.notLoggedIn && error.code !== 'keyring_unavailable' ? 'no' : 'unknown';
}
