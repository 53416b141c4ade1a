import { type Described, describeCredential, momentText } from '../../auth/identity.ts';
import { eachOf } from '../../change/workers.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, Concluded, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, settingsWith, withLocalSession } from '../../cli/session.ts';
import { credentialNames } from '../../config/credentials.ts';
import { profileNames, type Settings, unknownProfile } from '../../config/resolve.ts';
import { fieldAt, onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Checked, Shape } from '../../print/output.ts';
import type { Token } from '../../service/exchange.ts';
import { currentProfile, exportedCredential } from './exported.ts';
import { probeToken } from './probe.ts';

/** Number of credentials checked in parallel. */
const AT_A_TIME = 4;

/**
 * `auth status [profile...]`: test each credential with one request (GET /api/v1/users/me, or
 * /inventory/v1/properties/$count for clients).
 *
 * Exit 4 if a credential is invalid, 7 if one could not be checked. Tokens are never shown.
 */
export function authStatus(context: Context) {
  return serviceCommand('status', 'reads', ['auth status', 'auth status chain', 'auth status --json'])
    .summary('check the credentials of each profile')
    .description(
      'Test each credential with one request, and show its owner, storage and expiry. Tokens are never shown.',
    )
    .argument('[profile...]', 'profiles (default: all with credentials, and the environment)')
    .action(withLocalSession(context, status));
}

async function status(session: LocalSession, names: readonly string[]): Promise<void> {
  const subjects = names.length > 0 ? named(names, session) : present(session);
  if (subjects.length === 0)
    throw new CliError('not_logged_in', 'Not logged in.', {
      exitCode: ExitCode.notLoggedIn,
      hint: 'innctl login',
    });
  // In the order of the subjects; the `error` is `undefined` if the credential is valid.
  const findings: Awaited<ReturnType<typeof check>>[] = [];
  await eachOf(subjects.entries(), AT_A_TIME, async ([index, subject]) => {
    findings[index] = await check(subject, session);
  });
  await session.out.records(credentialShape, onePage(findings.map(({ row }) => row)));
  // Invalid credentials take precedence over failed checks, and those over other problems.
  const codes = findings.flatMap(({ error }) => (error === undefined ? [] : [error.exitCode]));
  const worst = [ExitCode.notLoggedIn, ExitCode.unavailable, codes[0]].find(
    (code) => code !== undefined && codes.includes(code),
  );
  if (worst !== undefined) throw new Concluded(worst);
}

/** A profile to check; `undefined` is the current one with a credential from the environment. */
type Subject = string | undefined;

/** A misspelt name must not look like an invalid credential. @throws {CliError} exit 2 if there is no such profile. */
function named(names: readonly string[], { globals, config }: LocalSession): readonly Subject[] {
  if (globals.profile !== undefined || globals.sandbox === true)
    throw usageError('Profiles are given as arguments: leave out --profile and --sandbox.');
  const unknown = names.find((name) => !profileNames(config).includes(name));
  if (unknown !== undefined) throw unknownProfile(unknown, config);
  return [...new Set(names)];
}

/** The profile that a flag names, otherwise the environment and all profiles with a credential. */
function present(session: LocalSession): readonly Subject[] {
  const { globals, folders } = session;
  if (globals.profile !== undefined || globals.sandbox === true) return [currentProfile(session)];
  const names = credentialNames(folders.config);
  return [...(exportedCredential(session) === undefined ? [] : [undefined]), ...names];
}

/**
 * Tests a credential with one request, after fetching or refreshing the token if necessary. Failures go into the row, beside
 * what was known until then.
 */
async function check(profile: Subject, session: LocalSession) {
  const known: Known = {};
  let error: CliError | undefined;
  try {
    known.settings =
      profile === undefined ? session.settings() : settingsWith(session, session.config, profile);
    const { openConnection } = await import('../../cli/connection.ts');
    const { api, credentials, close } = await openConnection(session, known.settings, 'auth status');
    try {
      known.token = await credentials.current(session.context.signal);
      known.user = await probeToken(api, credentials.grant);
      // A rejected token may have been refreshed meanwhile.
      known.token = await credentials.current(session.context.signal);
    } finally {
      await close();
    }
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    error = cause;
  }
  return { row: rowOf(profile, known, error, session), error };
}

/** What is known of a credential. */
interface Known {
  settings?: Settings;
  token?: Token;
  user?: ServiceRecord | undefined;
}

function rowOf(
  profile: Subject,
  { settings, token, user }: Known,
  error: CliError | undefined,
  { folders }: LocalSession,
): ServiceRecord {
  const described = settings && describeCredential(settings, folders.config, token);
  const { code, message, hint, status, requestId }: Partial<CliError> = error ?? {};
  return withoutHoles({
    profile: profile ?? settings?.profile?.value ?? null,
    valid: validity(error),
    ...(described && { ...factsOf(described, user), method: described.method, stored: described.stored }),
    identity_url: settings?.identityUrl?.value,
    base_url: settings?.baseUrl?.value,
    error: error && withoutHoles({ code, message, hint, status, request_id: requestId }),
  });
}

/** Prefers the service's answer to what was stored at login. */
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

/** The content of a locked keyring is unknown. */
function validity(error: CliError | undefined): 'yes' | 'no' | 'unknown' {
  if (error === undefined) return 'yes';
  return error.exitCode === ExitCode.notLoggedIn && error.code !== 'keyring_unavailable' ? 'no' : 'unknown';
}

const results = { yes: 'ok', no: 'fail', unknown: 'warn' } as const;

const places: Readonly<Record<string, string>> = {
  file: 'in a file',
  keyring: 'in the keyring',
  nowhere: 'not stored',
};

/** A row as one line: its owner, how it was obtained, where it is stored, when it ends; else the problem. */
function checked(row: ServiceRecord, date: (text: string) => string): Checked {
  const [who, method, stored, expires] = ['who', 'method', 'stored', 'expires_at'].map((name) =>
    textIn(row[name]),
  );
  const place = stored === method ? undefined : (places[stored ?? ''] ?? stored);
  const facts = [who, method, place, expires && `expires ${date(expires)}`];
  return {
    // What `validity` returned.
    result: results[row['valid'] as ReturnType<typeof validity>],
    name: textIn(row['profile']) ?? 'environment',
    detail: textIn(fieldAt(row, 'error.message')) ?? facts.filter((fact) => fact !== undefined).join(', '),
    hint: textIn(fieldAt(row, 'error.hint')),
  };
}

/** How credentials are listed. */
const credentialShape: Shape = {
  noun: ['credential', 'credentials'],
  checked,
  columns: columnsOf(
    'profile valid who method stored expires_at scopes identity_url base_url error.message error.hint',
    [
      { field: 'valid', header: 'Valid', tones: { no: 'error', unknown: 'warning' } },
      { field: 'expires_at', header: 'Expires', format: 'date' },
      { field: 'error.message', header: 'Problem' },
      { field: 'error.hint', header: 'Hint' },
    ],
  ),
  others: ['subject', 'client_id', 'account', 'error.code', 'error.status', 'error.request_id'],
};
